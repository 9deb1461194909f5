/** Groups as callers see and change them (docs/spec/groups.md). */
import { Type } from 'typebox';
import {
  type GroupPreview,
  type KeptGroup,
  memberAddModes,
  type MemberResult,
  memberResults,
} from '../../domain/groups/group.ts';
import type { JoinRequest } from '../../domain/groups/port.ts';
import { members, nullable, nullableInteger, nullableText, nullableTimestamp, oneOf, flag } from '../wire/build.ts';
import { CommunitySchema } from './group-events.ts';
import { PersonSchema } from './messages/parts.ts';
import { isoOrNull } from './messages/message.ts';

const about = {
  jid: Type.String(),
  subject: Type.String(),
  description: nullableText(),
  owner: nullable(PersonSchema),
  createdAt: nullableTimestamp('When it was made'),
};

export const GroupSchema = Type.Object(
  {
    ...about,
    members: Type.Array(Type.Object({ person: PersonSchema, admin: Type.Boolean() }, { title: 'GroupMember' })),
    announceOnly: Type.Boolean({ description: 'Only administrators write' }),
    locked: Type.Boolean({ description: 'Only administrators change subject, description and picture' }),
    joinApproval: Type.Boolean({ description: 'An administrator approves who joins by the link' }),
    memberAddMode: oneOf(memberAddModes, { description: 'Who adds members' }),
    expiresInSeconds: nullableInteger({ description: 'Timer of disappearing messages; null: messages stay' }),
    community: nullable(CommunitySchema),
  },
  { title: 'Group' },
);

export const groupView = (group: KeptGroup) => ({
  jid: group.jid,
  subject: group.subject,
  description: group.description,
  owner: group.owner,
  createdAt: isoOrNull(group.createdAt),
  members: group.members,
  announceOnly: group.announceOnly,
  locked: group.locked,
  joinApproval: group.joinApproval,
  memberAddMode: group.memberAddMode,
  expiresInSeconds: group.expiresInSeconds,
  community: group.community,
});

export const GroupPreviewSchema = Type.Object(
  { ...about, size: Type.Integer({ description: 'How many members it has' }), joinApproval: Type.Boolean() },
  { title: 'GroupPreview' },
);

export const previewView = ({ jid, subject, description, owner, createdAt, size, joinApproval }: GroupPreview) => ({
  jid,
  subject,
  description,
  owner,
  createdAt: isoOrNull(createdAt),
  size,
  joinApproval,
});

export const MemberResultSchema = Type.Object(
  {
    person: PersonSchema,
    result: oneOf(memberResults, {
      description: '`invited`: the person does not let the account add them, and was sent an invitation',
    }),
    reason: nullableText({ description: 'Why, where the person was not added, removed, promoted or demoted' }),
  },
  { title: 'MemberResult' },
);

export const resultsView = (results: readonly MemberResult[]): MemberResult[] =>
  results.map(({ person, result, reason }) => ({ person, result, reason }));

export const JoinRequestSchema = Type.Object(
  { person: PersonSchema, requestedAt: nullableTimestamp('When they asked') },
  { title: 'JoinRequest' },
);

export const requestView = ({ person, requestedAt }: JoinRequest) => ({ person, requestedAt: isoOrNull(requestedAt) });

const subject = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: '1 to 100 characters',
  errorMessage: 'must be a string of 1 to 100 characters',
});

const person = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Phone number (digits, country code included) or JID',
  errorMessage: 'must be the digits of a phone number, or a JID',
});

const people = (least: number) =>
  Type.Array(person, {
    minItems: least,
    maxItems: 100,
    description: `${least} to 100 people, each once, without the account itself`,
    errorMessage: `must be an array of ${least} to 100 phone numbers or JIDs`,
  });

export const CreateGroupSchema = members({ subject, members: people(0) }, { title: 'CreateGroup' });

export const AddMembersSchema = members({ members: people(1) }, { title: 'AddMembers' });

export const SetAdminSchema = members({ admin: flag('Whether the member is an administrator') }, { title: 'SetAdmin' });

const timers = [86_400, 604_800, 7_776_000];

export const UpdateGroupSchema = members(
  {
    subject: Type.Optional(subject),
    description: Type.Optional(
      nullableText({
        minLength: 1,
        maxLength: 2_048,
        description: '1 to 2,048 characters; null removes it',
        errorMessage: 'must be a string of 1 to 2,048 characters, or null',
      }),
    ),
    announceOnly: Type.Optional(flag('Only administrators write')),
    locked: Type.Optional(flag('Only administrators change subject, description and picture')),
    joinApproval: Type.Optional(flag('An administrator approves who joins by the link')),
    memberAddMode: Type.Optional(oneOf(memberAddModes, { errorMessage: 'must be admins or everyone' })),
    expiresInSeconds: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        enum: [...timers, null],
        description: 'Timer of disappearing messages: 86,400, 604,800 or 7,776,000; null: messages stay',
        errorMessage: 'must be 86400, 604800 or 7776000, or null',
      }),
    ),
  },
  { title: 'UpdateGroup' },
);

export const JoinSchema = members(
  {
    invite: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Link of a group (`https://chat.whatsapp.com/…`), or its code',
      errorMessage: 'must be the link of a group, or its code',
    }),
  },
  { title: 'JoinGroup' },
);

export const DecisionSchema = members(
  { approved: flag('Whether the person comes into the group') },
  { title: 'DecideRequest' },
);

export const InviteSchema = Type.Object({ code: Type.String(), link: Type.String() }, { title: 'GroupLink' });

export const inviteView = (code: string) => ({ code, link: `https://chat.whatsapp.com/${code}` });
