/** `GET`, `PUT` and `DELETE /devices/{id}/groups/{group}/picture` (docs/spec/groups.md, Picture). */
import { mediaLimit } from '../../body/body.ts';
import { takeLargeMember } from '../../body/large-member.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { GroupSchema, groupView } from '../../schemas/group.ts';
import { SetPictureSchema } from '../../schemas/messages/send.ts';
import { sendPicture } from '../../streams/picture-answer.ts';
import { sourceOf } from '../messages/media-source.ts';

export const getGroupPicture = operation({
  id: 'getGroupPicture',
  method: 'GET',
  path: '/devices/{id}/groups/{group}/picture',
  tag: 'Groups',
  summary: 'Download the picture of a group',
  description: '404 where there is none.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params, request, reply }) {
    const picture = await parts.groups.picture(caller.user.id, deviceId, params.group);
    return sendPicture(request, reply, picture);
  },
});

export const setGroupPicture = operation({
  id: 'setGroupPicture',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}/picture',
  tag: 'Groups',
  summary: 'Set the picture of a group',
  description: 'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB; cut to a square of 640 pixels.',
  body: {
    schema: SetPictureSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: { byUrl: { mediaUrl: 'https://example.com/tea.png' }, byBase64: { mediaBase64: 'iVBORw0KGgo=' } },
  },
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body, request }) {
    const source = sourceOf(body.mediaUrl, takeLargeMember(body) ?? body.mediaBase64);
    const { id: userId } = caller.user;
    const wish = { userId, deadline: request.deadline! };
    const group = await parts.groups.setPicture(userId, deviceId, params.group, source, wish);
    return { group: groupView(group), status: ok('Picture set') };
  },
});

export const removeGroupPicture = operation({
  id: 'removeGroupPicture',
  method: 'DELETE',
  path: '/devices/{id}/groups/{group}/picture',
  tag: 'Groups',
  summary: 'Remove the picture of a group',
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params }) {
    const group = await parts.groups.removePicture(caller.user.id, deviceId, params.group);
    return { group: groupView(group), status: ok('Picture removed') };
  },
});
