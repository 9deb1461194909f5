/** `handset user update`: the name and the device limit of a user. */
import { type Command, positional, textOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { type UserView, userOf, wholeNumber } from '../../command/operator.ts';

export const userUpdate: Command = {
  words: 'user update',
  summary: 'Change the name or device limit of a user (operator)',
  positionals: ['user'],
  options: {
    name: { type: 'string', help: 'the new name' },
    'device-limit': { type: 'string', help: 'number of active devices' },
  },
  async run({ admin, out }, given) {
    const name = textOption(given, 'name');
    const limit = textOption(given, 'device-limit');
    if (name === undefined && limit === undefined) throw usageError('nothing to change: give --name or --device-limit');
    const client = admin();
    const { id } = await userOf(client, positional(given, 0));
    const deviceLimit = limit === undefined ? undefined : wholeNumber('device-limit', limit);
    const { user } = await client.call<{ user: UserView }>('PUT', `/users/${id}`, { name, deviceLimit });
    out.value(user);
    out.line(`User ${id} updated: ${user.name}, ${user.activeDevices} of ${user.deviceLimit} devices`);
  },
};
