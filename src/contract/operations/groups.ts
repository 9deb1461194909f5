/** Groups: list, create, read, change, picture and leave (docs/spec/groups.md). */
import { members, answer } from '../build.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { Type } from 'typebox';
import { GroupSchema, CreateGroupSchema, MemberResultSchema, UpdateGroupSchema } from '../schemas/group.ts';
import { imageErrors } from '../errors.ts';
import { changes, declare, destroys, mediaLimit, reads } from '../operation.ts';
import { creationHeader } from './sent.ts';
import { SetPictureSchema } from '../schemas/messages/send-media.ts';

export const listGroups = declare({
  id: 'listGroups',
  path: '/devices/{id}/groups',
  command: 'group list <device>',
  client: 'groups.list',
  tool: {
    name: 'list_groups',
    description: 'Groups of the account with their sizes',
  },
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'List the groups of the account',
  description:
    'From the device’s own copy, which network notifications keep current. The network is queried only the first time, after a day, and when a notification was missed.',
  query: members(pageParameters),
  answer: answer({ groups: Type.Array(GroupSchema), nextCursor }),
  connected: true,
});

export const getGroup = declare({
  id: 'getGroup',
  path: '/devices/{id}/groups/{group}',
  command: 'group show <device> <group>',
  client: 'groups.get',
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'Retrieve a group with its members',
  description: 'The network is asked where the device’s copy may be out of date.',
  answer: answer({ group: GroupSchema }),
  connected: true,
});

export const createGroup = declare({
  id: 'createGroup',
  method: 'POST',
  path: '/devices/{id}/groups',
  command: 'group create <device> <subject>',
  client: 'groups.create',
  tool: {
    name: 'create_group',
    description: 'Makes a group, maybe in a community. Each person has a result: added, invited or refused',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Create a group',
  description: 'Returns a result for each person. The group is created even if nobody could be added.',
  body: {
    schema: CreateGroupSchema,
    examples: {
      friends: { subject: 'Tea', members: ['4915112345678', '123456789012345@lid'] },
      inCommunity: { subject: 'Street', members: [], community: '120363025246125487@g.us' },
    },
  },
  headers: creationHeader,
  answer: answer({ group: GroupSchema, results: Type.Array(MemberResultSchema) }),
  connected: true,
});

export const updateGroup = declare({
  id: 'updateGroup',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}',
  command: 'group set <device> <group>',
  nullWords: { description: '', expiresInSeconds: 'off' },
  client: 'groups.update',
  tool: {
    name: 'update_group',
    description: 'Changes a group, as one of its administrators',
    takes: ['subject', 'description', 'announceOnly', 'locked', 'joinApproval', 'memberAddMode'],
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Change a group’s subject, description and permissions',
  description:
    'Omitted fields stay as they are. The network applies the changes one by one; if it refuses one, the earlier ones stay.',
  body: {
    schema: UpdateGroupSchema,
    examples: { subject: { subject: 'Coffee' }, announcements: { announceOnly: true, description: null } },
  },
  answer: answer({ group: GroupSchema }),
  connected: true,
});

export const getGroupPicture = declare({
  id: 'getGroupPicture',
  path: '/devices/{id}/groups/{group}/picture',
  command: 'group picture <device> <group> <file>',
  client: 'groups.picture',
  ...reads('0.3.0'),
  tag: 'Groups',
  summary: 'Download the picture of a group',
  description: '404 where there is none.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  connected: true,
});

export const setGroupPicture = declare({
  id: 'setGroupPicture',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/picture',
  command: 'group set <device> <group>',
  client: 'groups.setPicture',
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Set the picture of a group',
  description: 'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB; cut to a square of 640 pixels.',
  body: {
    schema: SetPictureSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: { byUrl: { mediaUrl: 'https://example.com/tea.png' }, byBase64: { mediaBase64: 'iVBORw0KGgo=' } },
  },
  answer: answer({ group: GroupSchema }),
  connected: true,
  errors: [...imageErrors, 'oneSource'],
});

export const removeGroupPicture = declare({
  id: 'removeGroupPicture',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/picture',
  command: 'group set <device> <group>',
  client: 'groups.removePicture',
  ...changes('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Remove the picture of a group',
  description: 'Its members then see no picture of the group.',
  answer: answer({ group: GroupSchema }),
  connected: true,
});

export const leaveGroup = declare({
  id: 'leaveGroup',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}',
  command: 'group leave <device> <group>',
  client: 'groups.leave',
  tool: {
    name: 'leave_group',
    description: 'Leaves a group; others have to let the account in again',
  },
  ...destroys('0.3.0', 'manage'),
  tag: 'Groups',
  summary: 'Leave a group',
  description: 'Only its members can bring the account back. The chat and its messages stay.',
  answer: answer({}),
  connected: true,
  errors: ['notAMember'],
});
