/** `GET /devices/{id}/groups` (docs/spec/groups.md). */
import { Type } from 'typebox';
import { operation } from '../../server/operation.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { GroupSchema, groupView } from '../../schemas/group.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';

export const listGroups = operation({
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
  async run({ parts, caller, deviceId, query }) {
    const page = await parts.groups.list(caller.user.id, deviceId, pageOf(query));
    return { groups: page.items.map(groupView), nextCursor: page.nextCursor, status: ok('Groups listed') };
  },
});
