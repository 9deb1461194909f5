/** `handset user …` and `audit`, for the operator. */
import { type Command, positional, textOption, flagOption } from '../command/command.ts';
import { type UserView, wholeNumber, userOf } from '../command/operator.ts';
import { table } from '../terminal/output.ts';
import { usageError } from '../../mcp/client.ts';

const userList: Command = {
  words: 'user list',
  summary: 'List users, with limits and usage, newest first (operator)',
  positionals: [],
  async run({ admin, out }) {
    const users = (await admin().call<{ users: readonly UserView[] }>('GET', '/users')).users.toReversed();
    out.value(users);
    const rows = users.map((user) => [
      String(user.id),
      `${user.activeDevices} of ${user.deviceLimit}`,
      user.createdAt,
      user.name,
    ]);
    out.line(...table(['ID', 'DEVICES', 'CREATED', 'NAME'], rows));
  },
};

const defaultLimit = '10';

const userCreate: Command = {
  words: 'user create',
  summary: 'Create a user with an API key, which is shown only once (operator)',
  positionals: ['name'],
  options: { 'device-limit': { type: 'string', help: `number of active devices (default: ${defaultLimit})` } },
  async run({ admin, out }, given) {
    const client = admin();
    const deviceLimit = wholeNumber('device-limit', textOption(given, 'device-limit') ?? defaultLimit);
    const body = { name: positional(given, 0), deviceLimit };
    const { user } = await client.call<{ user: UserView }>('POST', '/users', body);
    const path = `/users/${user.id}/keys`;
    const { key } = await client.call<{ key: { secret: string } }>('POST', path, { name: 'first key' });
    out.value({ user, key });
    out.line(key.secret);
    if (!out.json) out.note(`User ${user.id} created; the key is shown only this once`);
  },
};

const userUpdate: Command = {
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

const userDelete: Command = {
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

interface Entry {
  readonly at: string;
  readonly action: string;
  readonly actor: {
    readonly kind: string;
    readonly userId: number | null;
    readonly keyId: number | null;
    readonly address: string | null;
  };
  readonly userId: number | null;
  readonly keyId: number | null;
  readonly deviceId: number | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const actorOf = ({ kind, userId, keyId, address }: Entry['actor']): string => {
  const who = kind === 'key' ? `user ${userId} (key ${keyId})` : kind;
  return address === null ? who : `${who} from ${address}`;
};

const subjectOf = ({ userId, keyId, deviceId }: Entry): string =>
  [
    ...(userId === null ? [] : [`user ${userId}`]),
    ...(keyId === null ? [] : [`key ${keyId}`]),
    ...(deviceId === null ? [] : [`device ${deviceId}`]),
  ].join(', ');

const audit: Command = {
  words: 'audit',
  summary: 'Print the audit log, newest first (operator)',
  positionals: [],
  options: { limit: { type: 'string', help: 'number of entries, up to 1000 (default: 100)' } },
  async run({ admin, out }, given) {
    const limit = wholeNumber('limit', textOption(given, 'limit') ?? '100');
    const { entries } = await admin().call<{ entries: readonly Entry[] }>('GET', `/audit?limit=${limit}`);
    for (const entry of entries) out.value(entry);
    const rows = entries.map((entry) => [
      entry.at,
      actorOf(entry.actor),
      entry.action,
      subjectOf(entry),
      Object.keys(entry.detail).length === 0 ? '' : JSON.stringify(entry.detail),
    ]);
    out.line(...table(['TIME', 'WHO', 'WHAT', 'OF', 'DETAIL'], rows));
  },
};

export const userCommands: readonly Command[] = [userList, userCreate, userUpdate, userDelete, audit];
