/** `POST /devices/{id}/groups` (docs/spec/groups.md, Making a group). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { CreateGroupSchema, GroupSchema, groupView, MemberResultSchema, resultsView } from '../../schemas/group.ts';
import { creationHeader, idempotencyOf } from '../messages/sent.ts';

export const createGroup = operation({
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
  async run({ parts, caller, deviceId, body, request }) {
    const { subject, members } = body;
    const once = idempotencyOf(request, 'group', body);
    const { group, results } = await parts.groups.create(caller.user.id, deviceId, subject, members, once);
    return { group: groupView(group), results: resultsView(results), status: ok('Group created') };
  },
});
