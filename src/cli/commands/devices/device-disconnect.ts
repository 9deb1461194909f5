/** `handset device disconnect`: logs the account out. */
import { type Command, deviceId } from '../../command/command.ts';

export const deviceDisconnect: Command = {
  words: 'device disconnect',
  summary: 'Log the account out; the device stays and can be paired again',
  positionals: ['device'],
  async run({ client, out }, given) {
    const id = deviceId(given);
    out.value(await client().call('POST', `/devices/${id}/disconnect`));
    out.line(`Device ${id} disconnected`);
  },
};
