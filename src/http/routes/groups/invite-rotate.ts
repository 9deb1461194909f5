/** `POST /devices/{id}/groups/{group}/invite/rotate` (docs/spec/groups.md, Links). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { InviteSchema, inviteView } from '../../schemas/group.ts';

export const rotateInvite = operation({
  id: 'rotateInvite',
  method: 'POST',
  path: '/devices/{id}/groups/{group}/invite/rotate',
  tag: 'Groups',
  summary: 'Revoke the link of a group and make another one',
  answer: answer({ invite: InviteSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const code = await parts.groups.invite(caller.user.id, deviceId, params.group, true);
    return { invite: inviteView(code), status: ok('Link revoked, and another one made') };
  },
});
