/** `handset group list`, `show`, `create`, `set` and `leave`, and `handset community …`. */
import { type Command, positional, textOption, textsOption } from '../command/command.ts';
import { withPicture } from '../command/media.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields, table } from '../terminal/output.ts';
import type { Part } from '../terminal/paint.ts';
import { nameOf } from '../../mcp/people.ts';
import type { Things } from '../../mcp/client.ts';

type Group = Things['Group'];
type Community = Things['CommunityOfGroups'];
type LinkResult = Things['LinkResult'];

export type Result = Things['MemberResult'];

export const resultTable = (results: readonly Result[]): readonly Part[] =>
  table(
    ['MEMBER', 'RESULT', ''],
    results.map(({ person, result, reason }) => [nameOf(person), result, reason ?? '']),
  );

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

const groupList = callCommand('listGroups', {
  usual: { limit: '1000' },
  value: ({ groups }: { readonly groups: readonly Group[] }) => groups,
  done: ({ groups }) =>
    listed(groups, 'The account is in no group', {
      GROUP: ({ jid }) => jid,
      MEMBERS: ({ members }) => String(members.length),
      SUBJECT: ({ subject }) => subject,
    }),
});

const groupShow = callCommand('getGroup', {
  value: ({ group }: { readonly group: Group }) => group,
  done: ({ group }) => [
    ...fields(shown(group)),
    '\n',
    ...table(
      ['MEMBER', ''],
      group.members.map(({ person, admin }) => [nameOf(person), admin ? 'administrator' : '']),
    ),
  ],
});

const groupCreate = callCommand('createGroup', {
  options: {
    member: { type: 'string', multiple: true, help: 'number or JID of a member; any number of them' },
    community: { type: 'string', help: 'JID of the community in which it is made' },
  },
  body: (given) => ({
    subject: positional(given, 1),
    members: textsOption(given, 'member') ?? [],
    community: textOption(given, 'community'),
  }),
  done: ({ group, results }: { readonly group: Group; readonly results: readonly Result[] }) => [
    `Made ${group.jid}`,
    ...(results.length > 0 ? ['\n', ...resultTable(results)] : []),
  ],
});

const groupSet = callCommand('updateGroup', {
  ...withPicture,
  otherwise: 'getGroup',
  value: ({ group }: { readonly group: Group }) => group,
  done: ({ group }) => fields(shown(group)),
});

const groupLeave = callCommand('leaveGroup', {
  destroys: 'only its members can bring the account back',
  done: 'Group left',
});

const groupTable = ({ groups }: Pick<Community, 'groups'>): readonly Part[] =>
  table(
    ['GROUP', 'ROLE', 'SUBJECT'],
    groups.map(({ jid, role, subject }) => [jid, role, subject]),
  );

const communityList = callCommand('listCommunities', {
  value: ({ communities }: { readonly communities: readonly Community[] }) => communities,
  done: ({ communities }) =>
    listed(communities, 'The account is in no community', {
      COMMUNITY: ({ jid }) => jid,
      GROUPS: ({ groups }) => String(groups.length),
      SUBJECT: ({ subject }) => subject,
    }),
});

const communityShow = callCommand('getCommunity', {
  value: ({ community }: { readonly community: Things['WholeCommunity'] }) => community,
  done: ({ community }) => [
    ...fields([
      ['Subject', community.subject],
      ['Description', community.description],
    ]),
    '\n',
    ...groupTable(community),
    '\n',
    ...table(
      ['PERSON'],
      community.people.map((person) => [nameOf(person)]),
    ),
  ],
});

const communityCreate = callCommand('createCommunity', {
  options: {
    description: { type: 'string', help: '1 to 2,048 characters' },
    group: { type: 'string', multiple: true, help: 'JID of a group that comes into it; any number of them' },
  },
  body: (given) => ({
    subject: positional(given, 1),
    description: textOption(given, 'description'),
    groups: textsOption(given, 'group'),
  }),
  done: ({ community, results }: { readonly community: Community; readonly results: readonly LinkResult[] }) => [
    `Made ${community.jid}`,
    ...(results.length > 0
      ? [
          '\n',
          ...table(
            ['GROUP', 'RESULT', ''],
            results.map(({ group, result, reason }) => [group, result, reason ?? '']),
          ),
        ]
      : []),
  ],
});

const communityLeave = callCommand('leaveCommunity', {
  destroys: 'only its members can bring the account back',
  done: 'Community left',
});

const communityEnd = callCommand('endCommunity', {
  destroys: 'the community ends, and its announcement group is gone',
  done: 'Community ended',
});

export const groupCommands: readonly Command[] = [
  groupList,
  groupShow,
  groupCreate,
  groupSet,
  groupLeave,
  communityList,
  communityShow,
  communityCreate,
  communityLeave,
  communityEnd,
];
