/** `handset user …` and `audit`, for the operator. */
import { type Command, positional, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { type UserView, wholeNumber } from '../command/operator.ts';
import type { Static } from 'typebox';
import type { AuditEntrySchema } from '../../contract/schemas/operator.ts';

const userList = callCommand('listUsers', {
  summary: 'List users, with limits and usage, newest first',
  value: ({ users }: { readonly users: readonly UserView[] }) => users.toReversed(),
  done: ({ users }) =>
    listed(users.toReversed(), 'No users', {
      ID: ({ id }) => String(id),
      DEVICES: ({ activeDevices, deviceLimit }) => `${activeDevices} of ${deviceLimit}`,
      CREATED: ({ createdAt }) => createdAt,
      NAME: ({ name }) => name,
    }),
});

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

const userUpdate = callCommand('updateUser', {
  value: ({ user }: { readonly user: UserView }) => user,
  done: ({ user: { id, name, activeDevices, deviceLimit } }) => [
    `User ${id} updated: ${name}, ${activeDevices} of ${deviceLimit} devices`,
  ],
});

const userDelete = callCommand('deleteUser', {
  destroys: 'this deletes the user and all their keys for good',
  done: (_, given) => [`User ${positional(given, 0)} deleted`],
});

type Entry = Static<typeof AuditEntrySchema>;

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

const audit = callCommand('listAudit', {
  values: ({ entries }: { readonly entries: readonly Entry[] }) => entries,
  done: ({ entries }) =>
    listed(entries, 'Nothing has happened', {
      TIME: ({ at }) => at,
      WHO: ({ actor }) => actorOf(actor),
      WHAT: ({ action }) => action,
      OF: subjectOf,
      DETAIL: ({ detail }) => (Object.keys(detail).length === 0 ? '' : JSON.stringify(detail)),
    }),
});

export const userCommands: readonly Command[] = [userList, userCreate, userUpdate, userDelete, audit];
