/** `GET /devices/{id}/groups` (docs/spec/groups.md). */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { GroupSchema, groupView } from '../../schemas/group.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';

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
  async run(call) {
    const { parts, caller, deviceId } = call;
    return answerPages(call, { name: 'groups', done: 'Groups listed' }, async (piece) => {
      const page = await parts.groups.list(caller.user.id, deviceId, piece);
      return { ...page, items: page.items.map(groupView) };
    });
  },
});
