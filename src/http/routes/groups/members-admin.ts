/** `PUT /devices/{id}/groups/{group}/members/{person}` (docs/spec/groups.md, Members). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { MemberResultSchema, resultsView, SetAdminSchema } from '../../schemas/group.ts';

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
  async run({ parts, caller, deviceId, params, body: { admin } }) {
    const act = admin ? 'promote' : 'demote';
    const results = await parts.groups.changeMembers(caller.user.id, deviceId, params.group, act, [params.person]);
    return { results: resultsView(results), status: ok('Change of the member asked for') };
  },
});
