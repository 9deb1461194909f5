/** `handset key revoke`. */
import { type Command, positional } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { keyPath } from '../../command/keys.ts';
import { userOption } from '../../command/operator.ts';

export const keyRevoke: Command = {
  words: 'key revoke',
  summary: 'Revoke an API key immediately',
  positionals: ['key'],
  ...userOption,
  async run(context, given) {
    const id = positional(given, 0);
    if (!/^\d{1,15}$/.test(id)) throw usageError('give the id of the key, as shown by "handset key list"');
    const { client, path } = await keyPath(context, given);
    context.out.value(await client.call('DELETE', `${path}/${id}`));
    context.out.line(`Key ${id} revoked`);
  },
};
