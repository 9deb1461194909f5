/** `handset device rename`: another name for a device. */
import { type Command, deviceId, positional } from '../../command/command.ts';

export const deviceRename: Command = {
  words: 'device rename',
  summary: 'Give a device another name',
  positionals: ['device', 'name'],
  async run({ client, out }, given) {
    const id = deviceId(given);
    const name = positional(given, 1);
    out.value(await client().call('PUT', `/devices/${id}`, { name }));
    out.line(`Device ${id} is called ${name}`);
  },
};
