/** `GET /devices/{id}/invites/{code}` (docs/spec/groups.md, Links). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { GroupPreviewSchema, previewView } from '../../schemas/group.ts';

export const previewInvite = operation({
  id: 'previewInvite',
  method: 'GET',
  path: '/devices/{id}/invites/{code}',
  tag: 'Groups',
  summary: 'Look at a group by the code of its link, without joining it',
  answer: answer({ group: GroupPreviewSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const group = await parts.groups.preview(caller.user.id, deviceId, params.code);
    return { group: previewView(group), status: ok('Group of the link retrieved') };
  },
});
