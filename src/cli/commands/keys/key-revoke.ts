/** `handset key revoke`. */
import { type Command, positional } from '../../command.ts';
import { usageError } from '../../failure.ts';
import { keyPath } from '../../keys.ts';
import { userOption } from '../../operator.ts';

export const keyRevoke: Command = {
  words: 'key revoke',
  summary: 'Revoke an API key, at once',
  positionals: ['key'],
  ...userOption,
  async run(context, given) {
    const id = positional(given, 0);
    if (!/^\d{1,15}$/.test(id)) throw usageError('a key is named by its id, as "handset key list" shows it');
    const { client, path } = await keyPath(context, given);
    context.out.value(await client.call('DELETE', `${path}/${id}`));
    context.out.line(`Key ${id} revoked`);
  },
};
