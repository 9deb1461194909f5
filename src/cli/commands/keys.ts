/** `handset key …`: API keys, one’s own or with `--user` another user’s. */
import { type Client, idempotencyHeader, usageError, type Answer, type Things } from '../../mcp/client.ts';
import { type Arguments, type Context, textOption, type Command, positional, flagOption } from '../command/command.ts';
import { userOf, userOption } from '../command/operator.ts';
import { table } from '../terminal/output.ts';
import { paint } from '../terminal/paint.ts';

const keyPath = async (context: Context, given: Arguments): Promise<{ client: Client; path: string }> => {
  const user = textOption(given, 'user');
  if (user === undefined) return { client: context.client(), path: '/keys' };
  const client = context.admin();
  return { client, path: `/users/${(await userOf(client, user)).id}/keys` };
};

type Key = Things['ApiKey'];

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

const keyList: Command = {
  words: 'key list',
  summary: 'List your API keys, newest first',
  positionals: [],
  ...userOption,
  async run(context, given) {
    const { out } = context;
    const { client, path } = await keyPath(context, given);
    const keys = (await client.call<{ keys: readonly Key[] }>('GET', path)).keys.toReversed();
    out.value(keys);
    const rows = keys.map((key) => [
      String(key.id),
      `hs_…${key.hint}`,
      key.revokedAt === null ? (key.expiresAt ?? 'never') : paint('bad', 'revoked'),
      key.lastUsedAt ?? 'never',
      key.devices?.join() ?? 'all',
      key.actions?.join() ?? 'all',
      key.name,
    ]);
    out.line(...table(['ID', 'KEY', 'EXPIRES', 'LAST USED', 'DEVICES', 'ACTIONS', 'NAME'], rows));
  },
};

type NewKey = Answer<'createKey'>;

const keyCreate: Command = {
  words: 'key create',
  summary: 'Create an API key, which is shown only once',
  positionals: ['name'],
  options: {
    'expires-at': { type: 'string', help: 'expiry, such as 2030-01-01T00:00:00Z (default: never)' },
    ...limitOptions,
    'idempotency-key': { type: 'string', help: 'make only one key, however often the command runs with this key' },
    ...userOption.options,
  },
  async run(context, given) {
    const { out } = context;
    const once = textOption(given, 'idempotency-key');
    if (once !== undefined && textOption(given, 'user') !== undefined)
      throw usageError('--idempotency-key is for your own keys, without --user');
    const { client, path } = await keyPath(context, given);
    const body = { name: positional(given, 0), expiresAt: textOption(given, 'expires-at'), ...limitsOf(given) };
    const { key } = await client.call<NewKey>('POST', path, body, idempotencyHeader(once));
    out.value(key);
    out.line(key.secret);
    if (!out.json) out.note(`Key ${key.id} created; it is shown only this once`);
  },
};

const keyExpire: Command = {
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

const keyLimit: Command = {
  words: 'key limit',
  summary: 'Set the devices and actions that an API key is permitted',
  positionals: ['key'],
  options: { ...limitOptions, ...userOption.options },
  async run(context, given) {
    const limits = limitsOf(given);
    if (limits.devices === undefined && limits.actions === undefined) throw usageError('give --devices or --actions');
    const { client, path } = await keyPath(context, given);
    const key = positional(given, 0);
    context.out.value(await client.call('PUT', `${path}/${key}`, limits));
    context.out.line(`The limits of key ${key} are changed`);
  },
};

const keyRevoke: Command = {
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

export const keyCommands: readonly Command[] = [keyList, keyCreate, keyExpire, keyLimit, keyRevoke];
