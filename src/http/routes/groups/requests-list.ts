/** `GET /devices/{id}/groups/{group}/requests` (docs/spec/groups.md, Requests to join). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { JoinRequestSchema, requestView } from '../../schemas/group.ts';

export const listJoinRequests = operation({
  id: 'listJoinRequests',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/requests',
  tag: 'Groups',
  summary: 'List who asks to join a group',
  answer: answer({ requests: Type.Array(JoinRequestSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const requests = await parts.groups.requests(caller.user.id, deviceId, params.group);
    return { requests: requests.map(requestView), status: ok('Requests listed') };
  },
});
