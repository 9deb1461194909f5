/** `DELETE /devices/{id}/groups/{group}` (docs/spec/groups.md, Leaving). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const leaveGroup = operation({
  id: 'leaveGroup',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Leave a group',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    await parts.groups.leave(caller.user.id, deviceId, params.group);
    return { status: ok('Group left') };
  },
});
