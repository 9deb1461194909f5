/** Groups as callers see and change them (docs/spec/groups.md). */
import { Type, type TSchema } from 'typebox';
import {
  nullableText,
  nullable,
  nullableTimestamp,
  oneOf,
  nullableInteger,
  members,
  flag,
  visibleName,
} from '../build.ts';
import { PersonSchema } from './messages/parts.ts';
import { memberAddModes, memberResults, communityRoles, joinReasons, leaveReasons } from '../../domain/groups/group.ts';

const about = {
  jid: Type.String(),
  subject: Type.String(),
  description: nullableText(),
  owner: nullable(PersonSchema),
  createdAt: nullableTimestamp('When it was made'),
};

const persons = Type.Array(PersonSchema);

const CommunitySchema = Type.Object(
  {
    jid: Type.String({ description: 'The community that the group belongs to' }),
    role: oneOf(communityRoles, { description: '`announcements`: its administrators write here to all' }),
  },
  { title: 'Community' },
);

const change = Type.Union([
  Type.Object({ subject: Type.String() }),
  Type.Object({ description: nullableText() }),
  Type.Object({ announceOnly: Type.Boolean() }),
  Type.Object({ locked: Type.Boolean() }),
  Type.Object({ joinApproval: Type.Boolean() }),
  Type.Object({ memberAddMode: oneOf(memberAddModes) }),
  Type.Object({ expiresInSeconds: nullableInteger() }),
  Type.Object({ community: nullable(CommunitySchema) }),
  Type.Object({ added: persons }),
  Type.Object({ removed: persons }),
  Type.Object({ left: persons }, { description: 'By themselves' }),
  Type.Object({ promoted: persons }),
  Type.Object({ demoted: persons }),
  Type.Object({ numberChanged: Type.Object({ from: PersonSchema, to: PersonSchema }) }),
  Type.Object({ requested: persons }, { description: 'They ask to join' }),
  Type.Object({ requestsEnded: persons }, { description: 'Their requests were rejected, or taken back' }),
  Type.Object({ picture: oneOf(['set', 'removed']) }),
  Type.Object({ invite: oneOf(['rotated']) }, { description: 'The previous link no longer works' }),
]);

const ofGroup = {
  group: Type.String({ description: 'JID of the group' }),
  subject: nullableText({ description: 'Null if the group is not known' }),
  by: Type.Unsafe<object | null>({
    ...nullable(PersonSchema),
    description: 'Who did it; null if it was found when the network was asked',
  }),
};

const nullableOf = (values: readonly string[], description: string): TSchema =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...values, null], description });

export const groupEventData = {
  'group.updated': {
    when: 'A group was changed, by whomever',
    data: Type.Object({ ...ofGroup, change }),
  },
  'group.joined': {
    when: 'The account has come into a group',
    data: Type.Object({ ...ofGroup, reason: nullableOf(joinReasons, '`link`: by its link or an invitation') }),
  },
  'group.left': {
    when: 'The account is no longer in a group',
    data: Type.Object({ ...ofGroup, reason: nullableOf(leaveReasons, '`left`: by itself') }),
  },
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

export const GroupPreviewSchema = Type.Object(
  { ...about, size: Type.Integer({ description: 'How many members it has' }), joinApproval: Type.Boolean() },
  { title: 'GroupPreview' },
);

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

export const JoinRequestSchema = Type.Object(
  { person: PersonSchema, requestedAt: nullableTimestamp('When they asked') },
  { title: 'JoinRequest' },
);

const subject = visibleName(100, { description: '1 to 100 characters, at least one of them visible' });

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

export const CreateGroupSchema = members(
  {
    subject,
    members: people(0),
    community: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'JID of the community in which it is made, by an administrator of that community',
        errorMessage: 'must be the JID of a community',
      }),
    ),
  },
  { title: 'CreateGroup' },
);

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
    memberAddMode: Type.Optional(
      oneOf(memberAddModes, { description: 'Who adds members', errorMessage: 'must be admins or everyone' }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        enum: [...timers, null],
        description: 'Timer of disappearing messages, of 1, 7 or 90 days; null: messages stay',
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
