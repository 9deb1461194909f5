/** `handset groups list`, `show`, `create`, `set` and `leave`. */
import {
  type Arguments,
  type Command,
  deviceId,
  flagOption,
  positional,
  switchOption,
  textOption,
  textsOption,
} from '../command/command.ts';
import { idempotencyHeader } from '../client/client.ts';
import { usageError } from '../client/failure.ts';
import { fields, table } from '../terminal/output.ts';
import { nameOf, type Person } from '../command/people.ts';

interface Group {
  readonly jid: string;
  readonly subject: string;
  readonly description: string | null;
  readonly members: readonly { readonly person: Person; readonly admin: boolean }[];
  readonly announceOnly: boolean;
  readonly locked: boolean;
  readonly joinApproval: boolean;
  readonly memberAddMode: string;
  readonly expiresInSeconds: number | null;
}

export interface Result {
  readonly person: Person;
  readonly result: string;
  readonly reason: string | null;
}

export const resultRows = (results: readonly Result[]): string[][] =>
  results.map(({ person, result, reason }) => [nameOf(person), result, reason ?? '']);

export const groupPath = (given: Arguments): string =>
  `/devices/${deviceId(given)}/groups/${encodeURIComponent(positional(given, 1))}`;

const onOff = (value: boolean): string => (value ? 'on' : 'off');

const shown = (group: Group): readonly (readonly [string, string | null])[] => [
  ['Subject', group.subject],
  ['Description', group.description],
  ['Announce only', onOff(group.announceOnly)],
  ['Locked', onOff(group.locked)],
  ['Join approval', onOff(group.joinApproval)],
  ['Adding members', group.memberAddMode],
  ['Disappearing', group.expiresInSeconds === null ? null : `after ${group.expiresInSeconds} s`],
];

const groupList: Command = {
  words: 'groups list',
  summary: 'List the groups of an account',
  positionals: ['device'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/groups?limit=1000`;
    const { groups } = await client().call<{ groups: readonly Group[] }>('GET', path);
    out.value(groups);
    const rows = groups.map(({ jid, subject, members }) => [jid, String(members.length), subject]);
    out.line(...(rows.length === 0 ? ['The account is in no group'] : table(['GROUP', 'MEMBERS', 'SUBJECT'], rows)));
  },
};

const groupShow: Command = {
  words: 'groups show',
  summary: 'Show a group with its members',
  positionals: ['device', 'group'],
  async run({ client, out }, given) {
    const { group } = await client().call<{ group: Group }>('GET', groupPath(given));
    out.value(group);
    out.line(...fields(shown(group)));
    const rows = group.members.map(({ person, admin }) => [nameOf(person), admin ? 'administrator' : '']);
    out.line(...table(['MEMBER', ''], rows));
  },
};

const groupCreate: Command = {
  words: 'groups create',
  summary: 'Make a group',
  positionals: ['device', 'subject'],
  options: {
    member: { type: 'string', multiple: true, help: 'number or JID of a member; any number of them' },
    'idempotency-key': { type: 'string', help: 'make only one group, however often the command runs with this key' },
  },
  async run({ client, out }, given) {
    const body = { subject: positional(given, 1), members: textsOption(given, 'member') ?? [] };
    const path = `/devices/${deviceId(given)}/groups`;
    const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
    const made = await client().call<{ group: Group; results: readonly Result[] }>('POST', path, body, headers);
    out.value(made);
    out.line(`Made ${made.group.jid}`);
    if (made.results.length > 0) out.line(...table(['MEMBER', 'RESULT', ''], resultRows(made.results)));
  },
};

const timerOf = (given: Arguments): number | null | undefined => {
  const text = textOption(given, 'expires');
  if (text === undefined) return undefined;
  return text === 'off' ? null : Number(text);
};

const groupSet: Command = {
  words: 'groups set',
  summary: 'Change a group’s subject, description and permissions',
  positionals: ['device', 'group'],
  options: {
    subject: { type: 'string', help: '1 to 100 characters' },
    description: { type: 'string', help: 'up to 2,048 characters; an empty one removes it' },
    'announce-only': { type: 'string', help: 'on: only administrators write' },
    locked: { type: 'string', help: 'on: only administrators change subject, description and picture' },
    'join-approval': { type: 'string', help: 'on: an administrator approves who joins by the link' },
    'add-mode': { type: 'string', help: 'who adds members: admins or everyone' },
    expires: { type: 'string', help: 'timer of disappearing messages: 86400, 604800, 7776000 or off' },
    picture: { type: 'string', help: 'URL of a picture, or none' },
  },
  async run({ client, out }, given) {
    const description = textOption(given, 'description');
    const body = {
      subject: textOption(given, 'subject'),
      description: description === '' ? null : description,
      announceOnly: switchOption(given, 'announce-only'),
      locked: switchOption(given, 'locked'),
      joinApproval: switchOption(given, 'join-approval'),
      memberAddMode: textOption(given, 'add-mode'),
      expiresInSeconds: timerOf(given),
    };
    const path = `${groupPath(given)}/picture`;
    const picture = textOption(given, 'picture');
    if (picture === 'none') await client().call('DELETE', path);
    else if (picture !== undefined) await client().call('PUT', path, { mediaUrl: picture });
    const { group } = await client().call<{ group: Group }>('PUT', groupPath(given), body);
    out.value(group);
    out.line(...fields(shown(group)));
  },
};

const groupLeave: Command = {
  words: 'groups leave',
  summary: 'Leave a group',
  positionals: ['device', 'group'],
  options: { yes: { type: 'boolean', short: 'y', help: 'confirm: only its members can bring the account back' } },
  async run({ client, out }, given) {
    if (!flagOption(given, 'yes')) throw usageError('only its members can bring the account back; add --yes to leave');
    out.value(await client().call('DELETE', groupPath(given)));
    out.line('Group left');
  },
};

export const groupCommands: readonly Command[] = [groupList, groupShow, groupCreate, groupSet, groupLeave];
