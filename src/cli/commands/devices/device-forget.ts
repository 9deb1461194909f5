/** `handset device forget`: deletes a device that was exported, without logging it out. */
import { type Command, deviceId } from '../../command/command.ts';

export const deviceForget: Command = {
  words: 'device forget',
  summary: 'Delete an exported device without logging it out (operator)',
  positionals: ['device'],
  async run({ admin, out }, given) {
    const id = deviceId(given);
    out.value(await admin().call('POST', `/devices/${id}/forget`));
    out.line(`Device ${id} forgotten`);
  },
};
