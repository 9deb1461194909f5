/** `handset device delete`: removes a device with all that belongs to it. */
import { type Command, deviceId, flagOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { adminOption } from '../../command/operator.ts';

export const deviceDelete: Command = {
  words: 'device delete',
  summary: 'Delete a device with its messages and events',
  positionals: ['device'],
  options: { yes: { type: 'boolean', short: 'y', help: 'confirm: this cannot be undone' }, ...adminOption.options },
  async run({ client, admin, out }, given) {
    const id = deviceId(given);
    if (!flagOption(given, 'yes')) throw usageError(`this deletes device ${id} for good; add --yes to do it`);
    const service = flagOption(given, 'admin') ? admin() : client();
    out.value(await service.call('DELETE', `/devices/${id}`));
    out.line(`Device ${id} deleted`);
  },
};
