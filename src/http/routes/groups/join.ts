/** `POST /devices/{id}/groups/join` (docs/spec/groups.md, Links). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { JoinSchema } from '../../schemas/group.ts';

export const joinGroup = operation({
  id: 'joinGroup',
  method: 'POST',
  path: '/devices/{id}/groups/join',
  tag: 'Groups',
  summary: 'Join a group by its link',
  body: { schema: JoinSchema, examples: { link: { invite: 'https://chat.whatsapp.com/Abcdefghij0123456789AB' } } },
  answer: answer({
    group: Type.String({ description: 'JID of the group' }),
    waits: Type.Boolean({ description: 'Whether an administrator has to approve it first' }),
  }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, body }) {
    const joined = await parts.groups.join(caller.user.id, deviceId, body.invite);
    return { ...joined, status: ok(joined.waits ? 'An administrator has to approve it' : 'Group joined') };
  },
});
