/** `POST /devices/{id}/groups/{group}/members` (docs/spec/groups.md, Members). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { AddMembersSchema, MemberResultSchema, resultsView } from '../../schemas/group.ts';

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
  async run({ parts, caller, deviceId, params, body }) {
    const results = await parts.groups.changeMembers(caller.user.id, deviceId, params.group, 'add', body.members);
    return { results: resultsView(results), status: ok('Members asked for') };
  },
});
