/** `DELETE /devices/{id}/groups/{group}/members/{person}` (docs/spec/groups.md, Members). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { MemberResultSchema, resultsView } from '../../schemas/group.ts';

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/members/{person}',
  tag: 'Groups',
  summary: 'Remove a member',
  answer: answer({ results: Type.Array(MemberResultSchema) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const people = [params.person];
    const results = await parts.groups.changeMembers(caller.user.id, deviceId, params.group, 'remove', people);
    return { results: resultsView(results), status: ok('Removal asked for') };
  },
});
