/** Members of a group, requests to join, and invitations (docs/spec/groups.md). */
import {
  AddMembersSchema,
  MemberResultSchema,
  SetAdminSchema,
  JoinRequestSchema,
  DecisionSchema,
  InviteSchema,
  GroupPreviewSchema,
  JoinSchema,
} from '../schemas/group.ts';
import { answer } from '../build.ts';
import { Type } from 'typebox';
import { changes, declare, reads } from '../operation.ts';

export const addMembers = declare({
  id: 'addMembers',
  method: 'POST',
  path: '/devices/{id}/groups/{group}/members',
  command: 'group add <device> <group> <person>',
  client: 'groups.addMembers',
  tool: {
    name: 'add_members',
    description: 'Adds members to a group. Who does not let everybody add them is sent an invitation',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Add members',
  description:
    'Needs an administrator, unless everyone may add. People who don’t let the account add them are sent an invitation instead; each person has a result.',
  body: { schema: AddMembersSchema, examples: { one: { members: ['4915112345678'] } } },
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  connected: true,
});

export const removeMember = declare({
  id: 'removeMember',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/members/{person}',
  command: 'group remove <device> <group> <person>',
  client: 'groups.removeMember',
  tool: {
    name: 'remove_member',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Remove a member',
  description: 'Needs an administrator. Returns the result for the person.',
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  connected: true,
});

export const setAdmin = declare({
  id: 'setAdmin',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/members/{person}',
  command: 'group admin <device> <group> <person> <state>',
  client: 'groups.setAdmin',
  tool: {
    name: 'set_admin',
    description: 'Makes a member of a group an administrator, or an ordinary member',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Promote or demote a member',
  description: 'Needs an administrator. Returns the result for the person.',
  body: { schema: SetAdminSchema, examples: { admin: { admin: true } } },
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  connected: true,
});

export const listJoinRequests = declare({
  id: 'listJoinRequests',
  path: '/devices/{id}/groups/{group}/requests',
  command: 'group requests <device> <group>',
  client: 'groups.joinRequests',
  tool: {
    name: 'list_join_requests',
    description: 'People who ask to join a group where administrators approve members',
  },
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'List the requests to join a group',
  description: 'In groups where administrators approve members. Needs an administrator.',
  answer: answer({ requests: Type.Array(JoinRequestSchema) }),
  connected: true,
});

export const decideRequest = declare({
  id: 'decideRequest',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/requests/{person}',
  command: 'group decide <device> <group> <person> <decision>',
  client: 'groups.decideRequest',
  tool: {
    name: 'decide_join_request',
    description: 'Approves or declines a request to join a group',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Approve or reject a request to join',
  description: 'Needs an administrator.',
  body: { schema: DecisionSchema, examples: { approve: { approved: true } } },
  answer: answer({}),
  connected: true,
  errors: ['noRequest'],
});

export const getInvite = declare({
  id: 'getInvite',
  path: '/devices/{id}/groups/{group}/invite',
  command: 'group invite <device> <group>',
  client: 'groups.invite',
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'Retrieve the link of a group',
  description: 'Whoever has the link can join. Needs an administrator.',
  answer: answer({ invite: InviteSchema }),
  connected: true,
});

export const rotateInvite = declare({
  id: 'rotateInvite',
  method: 'POST',
  path: '/devices/{id}/groups/{group}/invite/rotate',
  command: 'group invite <device> <group> --rotate',
  client: 'groups.rotateInvite',
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Revoke the link of a group and create a new one',
  description: 'The previous link stops working at once. Needs an administrator.',
  answer: answer({ invite: InviteSchema }),
  connected: true,
});

export const previewInvite = declare({
  id: 'previewInvite',
  path: '/devices/{id}/invites/{code}',
  command: 'group preview <device> <invite>',
  client: 'groups.previewInvite',
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'Preview a group by the code of its link, without joining it',
  description: 'Shows subject and size. The group is not notified.',
  answer: answer({ group: GroupPreviewSchema }),
  connected: true,
  errors: ['inviteRule'],
});

export const joinGroup = declare({
  id: 'joinGroup',
  method: 'POST',
  path: '/devices/{id}/groups/join',
  command: 'group join <device> <invite>',
  client: 'groups.join',
  tool: {
    name: 'join_group',
    description: 'Joins a group by its link; waits is true where an administrator has to approve it',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Join a group by its link',
  description: 'Where administrators approve members, this sends a request to join (`waits`).',
  body: { schema: JoinSchema, examples: { link: { invite: 'https://chat.whatsapp.com/Abcdefghij0123456789AB' } } },
  answer: answer({
    group: Type.String({ description: 'JID of the group' }),
    waits: Type.Boolean({ description: 'Whether an administrator has to approve it first' }),
  }),
  connected: true,
  errors: ['inviteRule'],
});
