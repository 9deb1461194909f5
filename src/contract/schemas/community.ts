/** Communities as callers see them (docs/spec/communities.md). */
import { Type } from 'typebox';
import { members, nullable, nullableText, nullableTimestamp, oneOf } from '../build.ts';
import { communityRoles, linkResults } from '../../domain/groups/group.ts';
import { CreateGroupSchema } from './group.ts';
import { PersonSchema } from './messages/parts.ts';

const CommunityGroupSchema = Type.Object(
  {
    jid: Type.String(),
    subject: Type.String(),
    role: oneOf(communityRoles, { description: '`announcements`: its administrators write here to all' }),
  },
  { title: 'CommunityGroup' },
);

const properties = {
  jid: Type.String(),
  subject: Type.String(),
  description: nullableText(),
  owner: nullable(PersonSchema),
  createdAt: nullableTimestamp('When it was made'),
  groups: Type.Array(CommunityGroupSchema),
};

export const CommunitySchema = Type.Object(properties, { title: 'CommunityOfGroups' });

export const WholeCommunitySchema = Type.Object(
  { ...properties, people: Type.Array(PersonSchema, { description: 'Everybody in its groups' }) },
  { title: 'WholeCommunity' },
);

export const LinkResultSchema = Type.Object(
  {
    group: Type.String(),
    result: oneOf(linkResults),
    reason: nullableText({ description: 'Why, where it was refused' }),
  },
  { title: 'LinkResult' },
);

const maxGroups = 50;

export const CreateCommunitySchema = members(
  {
    subject: CreateGroupSchema.properties.subject,
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: '1 to 2,048 characters',
        errorMessage: 'must be a string of 1 to 2,048 characters',
      }),
    ),
    groups: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: maxGroups,
        description: `JIDs of groups that come into it, at most ${maxGroups}; the account must be an administrator of each`,
        errorMessage: `must be a list of at most ${maxGroups} JIDs of groups`,
      }),
    ),
  },
  { title: 'CreateCommunity' },
);
