/** `handset user delete`: a user without devices, and all their keys. */
import { type Command, flagOption, positional } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { userOf } from '../../command/operator.ts';

export const userDelete: Command = {
  words: 'user delete',
  summary: 'Delete a user without devices, and all their keys (operator)',
  positionals: ['user'],
  options: { yes: { type: 'boolean', short: 'y', help: 'confirm: this cannot be undone' } },
  async run({ admin, out }, given) {
    const client = admin();
    const { id, name } = await userOf(client, positional(given, 0));
    if (!flagOption(given, 'yes')) throw usageError(`this deletes user ${id} (${name}) for good; add --yes to do it`);
    out.value(await client.call('DELETE', `/users/${id}`));
    out.line(`User ${id} deleted`);
  },
};
