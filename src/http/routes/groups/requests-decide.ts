/** `PUT /devices/{id}/groups/{group}/requests/{person}` (docs/spec/groups.md, Requests to join). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { DecisionSchema } from '../../schemas/group.ts';

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
  async run({ parts, caller, deviceId, params, body: { approved } }) {
    await parts.groups.decide(caller.user.id, deviceId, params.group, params.person, approved);
    return { status: ok(approved ? 'Request approved' : 'Request rejected') };
  },
});
