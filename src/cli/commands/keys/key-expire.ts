/** `handset key expire`: gives a key an end, which is how a rotation is completed. */
import { type Command, flagOption, positional, textOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { keyPath } from '../../command/keys.ts';
import { userOption } from '../../command/operator.ts';

export const keyExpire: Command = {
  words: 'key expire',
  summary: 'Set or remove the expiry of an API key',
  positionals: ['key'],
  options: {
    at: { type: 'string', help: 'expiry, such as 2030-01-01T00:00:00Z (default: in 24 hours)' },
    never: { type: 'boolean', help: 'remove the expiry' },
    ...userOption.options,
  },
  async run(context, given) {
    const at = textOption(given, 'at');
    const never = flagOption(given, 'never');
    if (never && at !== undefined) throw usageError('use either --at or --never');
    const { client, path } = await keyPath(context, given);
    const expiresAt = never ? null : (at ?? new Date(Date.now() + 86_400_000).toISOString());
    const key = positional(given, 0);
    context.out.value(await client.call('PUT', `${path}/${key}`, { expiresAt }));
    context.out.line(expiresAt === null ? `Key ${key} does not expire` : `Key ${key} expires at ${expiresAt}`);
  },
};
