/** `handset key create`: prints the key, this once. */
import { type Command, positional, textOption } from '../../command/command.ts';
import { keyPath } from '../../command/keys.ts';
import { userOption } from '../../command/operator.ts';

interface NewKey {
  readonly key: { readonly id: number; readonly name: string; readonly secret: string };
}

export const keyCreate: Command = {
  words: 'key create',
  summary: 'Create an API key, which is shown only once',
  positionals: ['name'],
  options: {
    'expires-at': { type: 'string', help: 'expiry, such as 2030-01-01T00:00:00Z (default: never)' },
    ...userOption.options,
  },
  async run(context, given) {
    const { out } = context;
    const { client, path } = await keyPath(context, given);
    const body = { name: positional(given, 0), expiresAt: textOption(given, 'expires-at') };
    const { key } = await client.call<NewKey>('POST', path, body);
    out.value(key);
    out.line(key.secret);
    if (!out.json) out.note(`Key ${key.id} created; it is shown only this once`);
  },
};
