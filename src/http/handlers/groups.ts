/** Groups: list, create, read, change, picture and leave (docs/spec/groups.md). */
import { Type } from 'typebox';
import { answerPages, sendPicture } from '../streams/answers.ts';
import { operation, type Operation } from '../wire/operation.ts';
import { answer, members, ok } from '../wire/build.ts';
import {
  CreateGroupSchema,
  GroupSchema,
  groupView,
  MemberResultSchema,
  resultsView,
  UpdateGroupSchema,
} from '../schemas/group.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { creationHeader, idempotencyOf } from './sent.ts';
import { mediaLimit } from '../body/body.ts';
import { takeLargeMember } from '../body/large-member.ts';
import { SetPictureSchema } from '../schemas/messages/send.ts';
import { sourceOf } from './media-source.ts';
import {
  addMembers,
  decideRequest,
  getInvite,
  joinGroup,
  listJoinRequests,
  previewInvite,
  removeMember,
  rotateInvite,
  setAdmin,
} from './group-members.ts';

const listGroups = operation({
  id: 'listGroups',
  method: 'GET',
  path: '/devices/{id}/groups',
  tag: 'Groups',
  summary: 'List the groups of the account',
  description:
    'From what the device keeps, which notices of the network keep current. The network is asked the first time, after a day, and when it says that something was missed.',
  query: members(pageParameters),
  answer: answer({ groups: Type.Array(GroupSchema), nextCursor }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run(call) {
    const { parts, scope } = call;
    return answerPages(call, { name: 'groups', done: 'Groups listed' }, async (piece) => {
      const page = await parts.groups.list(scope, piece);
      return { ...page, items: page.items.map(groupView) };
    });
  },
});

const getGroup = operation({
  id: 'getGroup',
  method: 'GET',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Retrieve a group with its members',
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const group = await parts.groups.get(scope, params.group);
    return { group: groupView(group), status: ok('Group retrieved') };
  },
});

const createGroup = operation({
  id: 'createGroup',
  method: 'POST',
  path: '/devices/{id}/groups',
  tag: 'Groups',
  summary: 'Make a group',
  description: 'With a result for each person. The group is made even if nobody could be added.',
  body: {
    schema: CreateGroupSchema,
    examples: { friends: { subject: 'Tea', members: ['4915112345678', '123456789012345@lid'] } },
  },
  headers: creationHeader,
  answer: answer({ group: GroupSchema, results: Type.Array(MemberResultSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, scope, body, request }) {
    const { subject, members: people } = body;
    const once = idempotencyOf(request, 'group', body);
    const { group, results } = await parts.groups.create(scope, subject, people, once);
    return { group: groupView(group), results: resultsView(results), status: ok('Group created') };
  },
});

const updateGroup = operation({
  id: 'updateGroup',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Change a group’s subject, description and permissions',
  description:
    'Omitted members stay as they are. The network takes the changes one by one; those before a refusal hold.',
  body: {
    schema: UpdateGroupSchema,
    examples: { subject: { subject: 'Coffee' }, announcements: { announceOnly: true, description: null } },
  },
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body }) {
    const group = await parts.groups.change(scope, params.group, body);
    return { group: groupView(group), status: ok('Group updated') };
  },
});

const getGroupPicture = operation({
  id: 'getGroupPicture',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/picture',
  tag: 'Groups',
  summary: 'Download the picture of a group',
  description: '404 where there is none.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params, request, reply }) {
    const picture = await parts.groups.picture(scope, params.group);
    return sendPicture(request, reply, picture);
  },
});

const setGroupPicture = operation({
  id: 'setGroupPicture',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/picture',
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
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body, request }) {
    const source = sourceOf(body.mediaUrl, takeLargeMember(body) ?? body.mediaBase64);
    const group = await parts.groups.setPicture(scope, params.group, source, {
      userId: scope.userId,
      deadline: request.deadline!,
    });
    return { group: groupView(group), status: ok('Picture set') };
  },
});

const removeGroupPicture = operation({
  id: 'removeGroupPicture',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/picture',
  tag: 'Groups',
  summary: 'Remove the picture of a group',
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const group = await parts.groups.removePicture(scope, params.group);
    return { group: groupView(group), status: ok('Picture removed') };
  },
});

const leaveGroup = operation({
  id: 'leaveGroup',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Leave a group',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    await parts.groups.leave(scope, params.group);
    return { status: ok('Group left') };
  },
});

/** In the order of the documentation. */
export const groupOperations: readonly Operation[] = [
  listGroups,
  getGroup,
  createGroup,
  joinGroup,
  updateGroup,
  leaveGroup,
  addMembers,
  setAdmin,
  removeMember,
  getInvite,
  rotateInvite,
  previewInvite,
  listJoinRequests,
  decideRequest,
  getGroupPicture,
  setGroupPicture,
  removeGroupPicture,
];
