/** `GET /devices/{id}/groups/{group}/invite` (docs/spec/groups.md, Links). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { InviteSchema, inviteView } from '../../schemas/group.ts';

export const getInvite = operation({
  id: 'getInvite',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/invite',
  tag: 'Groups',
  summary: 'Retrieve the link of a group',
  answer: answer({ invite: InviteSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const code = await parts.groups.invite(caller.user.id, deviceId, params.group, false);
    return { invite: inviteView(code), status: ok('Link retrieved') };
  },
});
