/** `handset key …`: API keys, one’s own or with `--user` another user’s. */
import { usageError, type Answer, type Things } from '../../mcp/client.ts';
import { type Arguments, type Command, flagOption, positional, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { paint } from '../terminal/paint.ts';

type Key = Things['ApiKey'];

const operator = 'user';

const limitOptions = {
  devices: { type: 'string', help: 'ids of the devices that the key reaches, separated by commas, or all' },
  actions: { type: 'string', help: 'what it may do: read, send, manage, admin, separated by commas, or all' },
} as const;

const listOf = (given: Arguments, name: 'devices' | 'actions'): readonly string[] | null | undefined => {
  const text = textOption(given, name);
  if (text === undefined || text === 'all') return text === undefined ? undefined : null;
  return text.split(',').map((each) => each.trim());
};

const limitsOf = (given: Arguments) => ({
  devices: listOf(given, 'devices')?.map(Number) ?? listOf(given, 'devices'),
  actions: listOf(given, 'actions'),
});

const keyList = callCommand('listKeys', {
  summary: 'List your API keys, newest first',
  operator,
  value: ({ keys }: { readonly keys: readonly Key[] }) => keys.toReversed(),
  done: ({ keys }) =>
    listed(keys.toReversed(), 'No keys', {
      ID: ({ id }) => String(id),
      KEY: ({ hint }) => `hs_…${hint}`,
      EXPIRES: ({ revokedAt, expiresAt }) => (revokedAt === null ? (expiresAt ?? 'never') : paint('bad', 'revoked')),
      'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
      DEVICES: ({ devices }) => devices?.join() ?? 'all',
      ACTIONS: ({ actions }) => actions?.join() ?? 'all',
      NAME: ({ name }) => name,
    }),
});

const keyCreate = callCommand('createKey', {
  summary: 'Create an API key, which is shown only once',
  options: limitOptions,
  operator,
  more: limitsOf,
  value: ({ key }: Answer<'createKey'>) => key,
  done: ({ key }) => [key.secret],
  note: ({ key }) => `Key ${key.id} created; it is shown only this once`,
});

const keyExpire = callCommand('updateKey', {
  options: {
    at: { type: 'string', help: 'expiry, such as 2030-01-01T00:00:00Z (default: in 24 hours)' },
    never: { type: 'boolean', help: 'remove the expiry' },
  },
  operator,
  body(given) {
    const at = textOption(given, 'at');
    const never = flagOption(given, 'never');
    if (never && at !== undefined) throw usageError('use either --at or --never');
    return { expiresAt: never ? null : (at ?? new Date(Date.now() + 86_400_000).toISOString()) };
  },
  done: ({ key: { id, expiresAt } }: { readonly key: Key }) => [
    expiresAt === null ? `Key ${id} does not expire` : `Key ${id} expires at ${expiresAt}`,
  ],
});

const keyLimit = callCommand('updateKey', {
  words: 'key limit',
  summary: 'Set the devices and actions that an API key is permitted',
  options: limitOptions,
  operator,
  body: limitsOf,
  done: (_, given) => [`The limits of key ${positional(given, 0)} are changed`],
});

const keyRevoke = callCommand('revokeKey', {
  operator,
  done: (_, given) => [`Key ${positional(given, 0)} revoked`],
});

export const keyCommands: readonly Command[] = [keyList, keyCreate, keyExpire, keyLimit, keyRevoke];
