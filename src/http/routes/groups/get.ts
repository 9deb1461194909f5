/** `GET /devices/{id}/groups/{group}` (docs/spec/groups.md). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { GroupSchema, groupView } from '../../schemas/group.ts';

export const getGroup = operation({
  id: 'getGroup',
  method: 'GET',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Retrieve a group with its members',
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const group = await parts.groups.get(caller.user.id, deviceId, params.group);
    return { group: groupView(group), status: ok('Group retrieved') };
  },
});
