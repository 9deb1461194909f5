/** Communities: groups of groups (docs/spec/communities.md). */
import { Type } from 'typebox';
import { answer } from '../build.ts';
import { changes, declare, destroys, reads } from '../operation.ts';
import {
  CommunitySchema,
  CreateCommunitySchema,
  LinkResultSchema,
  WholeCommunitySchema,
} from '../schemas/community.ts';
import { creationHeader } from './sent.ts';

export const listCommunities = declare({
  id: 'listCommunities',
  path: '/devices/{id}/communities',
  command: 'community list <device>',
  client: 'communities.list',
  tool: {
    name: 'list_communities',
  },
  ...reads('0.4.0'),
  tag: 'Groups',
  summary: 'List the communities of the account',
  description: 'Each with those of its groups that the account is in.',
  answer: answer({ communities: Type.Array(CommunitySchema) }),
  connected: true,
});

export const createCommunity = declare({
  id: 'createCommunity',
  method: 'POST',
  path: '/devices/{id}/communities',
  command: 'community create <device> <subject>',
  client: 'communities.create',
  tool: {
    name: 'create_community',
  },
  ...changes('0.4.0', 'manage'),
  tag: 'Groups',
  summary: 'Create a community',
  description:
    'The network makes its announcement group. Returns a result for each group; the community is created even if none could be put into it.',
  body: {
    schema: CreateCommunitySchema,
    examples: { town: { subject: 'Town', groups: ['120363025246125486@g.us'] } },
  },
  headers: creationHeader,
  answer: answer({ community: CommunitySchema, results: Type.Array(LinkResultSchema) }),
  connected: true,
});

export const getCommunity = declare({
  id: 'getCommunity',
  path: '/devices/{id}/communities/{community}',
  command: 'community show <device> <community>',
  client: 'communities.get',
  ...reads('0.4.0'),
  tag: 'Groups',
  summary: 'Retrieve a community with its groups and people',
  description: 'The network is asked for all of its groups, and for everybody who is in one of them.',
  answer: answer({ community: WholeCommunitySchema }),
  connected: true,
});

export const endCommunity = declare({
  id: 'endCommunity',
  method: 'DELETE',
  path: '/devices/{id}/communities/{community}',
  command: 'community end <device> <community>',
  client: 'communities.end',
  tool: {
    name: 'end_community',
  },
  ...destroys('0.4.0', 'manage'),
  tag: 'Groups',
  summary: 'End a community',
  description: 'Its groups stay, without the announcement group.',
  answer: answer({}),
  connected: true,
});

export const leaveCommunity = declare({
  id: 'leaveCommunity',
  method: 'POST',
  path: '/devices/{id}/communities/{community}/leave',
  command: 'community leave <device> <community>',
  client: 'communities.leave',
  tool: {
    name: 'leave_community',
  },
  ...destroys('0.4.0', 'manage'),
  tag: 'Groups',
  summary: 'Leave a community and all of its groups',
  description: 'Only its members can bring the account back. The chats and their messages stay.',
  answer: answer({}),
  connected: true,
  errors: ['lastAdministrator'],
});

export const linkGroup = declare({
  id: 'linkGroup',
  method: 'PUT',
  path: '/devices/{id}/communities/{community}/groups/{group}',
  command: 'community add <device> <community> <group>',
  client: 'communities.linkGroup',
  tool: {
    name: 'link_group',
  },
  ...changes('0.4.0', 'manage'),
  tag: 'Groups',
  summary: 'Put a group into a community',
  description: 'Its members come into the announcement group, too. Needs an administrator of both.',
  answer: answer({}),
  connected: true,
  errors: ['linkRefused'],
});

export const unlinkGroup = declare({
  id: 'unlinkGroup',
  method: 'DELETE',
  path: '/devices/{id}/communities/{community}/groups/{group}',
  command: 'community remove <device> <community> <group>',
  client: 'communities.unlinkGroup',
  tool: {
    name: 'unlink_group',
  },
  ...changes('0.4.0', 'manage'),
  tag: 'Groups',
  summary: 'Take a group out of a community',
  description: 'The group and its members stay.',
  answer: answer({}),
  connected: true,
  errors: ['linkRefused'],
});
