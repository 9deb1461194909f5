/** `handset key revoke`. */
import { type Command, positional } from '../command.ts';
import { usageError } from '../failure.ts';

export const keyRevoke: Command = {
  words: 'key revoke',
  summary: 'Revoke an API key, at once',
  positionals: ['key'],
  options: {},
  optionHelp: {},
  async run({ client, out }, given) {
    const id = positional(given, 0);
    if (!/^\d{1,15}$/.test(id)) throw usageError('a key is named by its id, as "handset key list" shows it');
    out.value(await client().call('DELETE', `/keys/${id}`));
    out.line(`Key ${id} revoked`);
  },
};
