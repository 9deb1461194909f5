/** Data of the events of groups (docs/spec/events.md, Event kinds). */
import { Type, type TSchema } from 'typebox';
import { PersonSchema } from './messages/parts.ts';
import { oneOf, nullableText, nullableInteger, nullable } from '../build.ts';
import { communityRoles, memberAddModes, joinReasons, leaveReasons } from '../../domain/groups/group.ts';

const people = Type.Array(PersonSchema);

export const CommunitySchema = Type.Object(
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
  Type.Object({ added: people }),
  Type.Object({ removed: people }),
  Type.Object({ left: people }, { description: 'By themselves' }),
  Type.Object({ promoted: people }),
  Type.Object({ demoted: people }),
  Type.Object({ numberChanged: Type.Object({ from: PersonSchema, to: PersonSchema }) }),
  Type.Object({ requested: people }, { description: 'They ask to join' }),
  Type.Object({ requestsEnded: people }, { description: 'Their requests were rejected, or taken back' }),
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
