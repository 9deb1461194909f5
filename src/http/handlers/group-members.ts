/** Members of a group, requests to join, and invitations (docs/spec/groups.md). */
import { Type } from 'typebox';
import { operation } from '../wire/operation.ts';
import { answer, ok } from '../wire/build.ts';
import {
  AddMembersSchema,
  DecisionSchema,
  GroupPreviewSchema,
  InviteSchema,
  inviteView,
  JoinRequestSchema,
  JoinSchema,
  MemberResultSchema,
  previewView,
  requestView,
  resultsView,
  SetAdminSchema,
} from '../schemas/group.ts';

export const addMembers = operation({
  id: 'addMembers',
  method: 'POST',
  path: '/devices/{id}/groups/{group}/members',
  tag: 'Groups',
  summary: 'Add members',
  body: { schema: AddMembersSchema, examples: { one: { members: ['4915112345678'] } } },
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body }) {
    const results = await parts.groups.changeMembers(scope, params.group, 'add', body.members);
    return { results: resultsView(results), status: ok('Members asked for') };
  },
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/members/{person}',
  tag: 'Groups',
  summary: 'Remove a member',
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const people = [params.person];
    const results = await parts.groups.changeMembers(scope, params.group, 'remove', people);
    return { results: resultsView(results), status: ok('Removal asked for') };
  },
});

export const setAdmin = operation({
  id: 'setAdmin',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/members/{person}',
  tag: 'Groups',
  summary: 'Make a member an administrator, or no longer one',
  body: { schema: SetAdminSchema, examples: { admin: { admin: true } } },
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body: { admin } }) {
    const act = admin ? 'promote' : 'demote';
    const results = await parts.groups.changeMembers(scope, params.group, act, [params.person]);
    return { results: resultsView(results), status: ok('Change of the member asked for') };
  },
});

export const listJoinRequests = operation({
  id: 'listJoinRequests',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/requests',
  tag: 'Groups',
  summary: 'List who asks to join a group',
  answer: answer({ requests: Type.Array(JoinRequestSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const requests = await parts.groups.requests(scope, params.group);
    return { requests: requests.map(requestView), status: ok('Requests listed') };
  },
});

export const decideRequest = operation({
  id: 'decideRequest',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/requests/{person}',
  tag: 'Groups',
  summary: 'Approve or reject a request to join',
  body: { schema: DecisionSchema, examples: { approve: { approved: true } } },
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body: { approved } }) {
    await parts.groups.decide(scope, params.group, params.person, approved);
    return { status: ok(approved ? 'Request approved' : 'Request rejected') };
  },
});

export const getInvite = operation({
  id: 'getInvite',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/invite',
  tag: 'Groups',
  summary: 'Retrieve the link of a group',
  answer: answer({ invite: InviteSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const code = await parts.groups.invite(scope, params.group, false);
    return { invite: inviteView(code), status: ok('Link retrieved') };
  },
});

export const rotateInvite = operation({
  id: 'rotateInvite',
  method: 'POST',
  path: '/devices/{id}/groups/{group}/invite/rotate',
  tag: 'Groups',
  summary: 'Revoke the link of a group and make another one',
  answer: answer({ invite: InviteSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const code = await parts.groups.invite(scope, params.group, true);
    return { invite: inviteView(code), status: ok('Link revoked, and another one made') };
  },
});

export const previewInvite = operation({
  id: 'previewInvite',
  method: 'GET',
  path: '/devices/{id}/invites/{code}',
  tag: 'Groups',
  summary: 'Look at a group by the code of its link, without joining it',
  answer: answer({ group: GroupPreviewSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    const group = await parts.groups.preview(scope, params.code);
    return { group: previewView(group), status: ok('Group of the link retrieved') };
  },
});

export const joinGroup = operation({
  id: 'joinGroup',
  method: 'POST',
  path: '/devices/{id}/groups/join',
  tag: 'Groups',
  summary: 'Join a group by its link',
  body: { schema: JoinSchema, examples: { link: { invite: 'https://chat.whatsapp.com/Abcdefghij0123456789AB' } } },
  answer: answer({
    group: Type.String({ description: 'JID of the group' }),
    waits: Type.Boolean({ description: 'Whether an administrator has to approve it first' }),
  }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, body }) {
    const joined = await parts.groups.join(scope, body.invite);
    return { ...joined, status: ok(joined.waits ? 'An administrator has to approve it' : 'Group joined') };
  },
});
