/** `PUT` and `DELETE /devices/{id}/profile/picture` (docs/spec/conversation.md, Profile). */
import { mediaLimit } from '../../body/body.ts';
import { takeLargeMember } from '../../body/large-member.ts';
import { operation } from '../../wire/operation.ts';
import { ok } from '../../wire/build.ts';
import { ProfileAnswer } from '../../schemas/people.ts';
import { SetPictureSchema } from '../../schemas/messages/send.ts';
import { sourceOf } from '../messages/media-source.ts';

export const setProfilePicture = operation({
  id: 'setProfilePicture',
  method: 'PUT',
  path: '/devices/{id}/profile/picture',
  tag: 'Chats',
  summary: 'Set the picture of the account',
  description: 'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB; cut to a square of 640 pixels.',
  body: {
    schema: SetPictureSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: { byUrl: { mediaUrl: 'https://example.com/cat.png' }, byBase64: { mediaBase64: 'iVBORw0KGgo=' } },
  },
  answer: ProfileAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, body, request }) {
    const source = sourceOf(body.mediaUrl, takeLargeMember(body) ?? body.mediaBase64);
    const { id: userId } = caller.user;
    const wish = { userId, deadline: request.deadline! };
    return { profile: await parts.profiles.setPicture(userId, deviceId, source, wish), status: ok('Picture set') };
  },
});

export const removeProfilePicture = operation({
  id: 'removeProfilePicture',
  method: 'DELETE',
  path: '/devices/{id}/profile/picture',
  tag: 'Chats',
  summary: 'Remove the picture of the account',
  answer: ProfileAnswer,
  atOwner: true,
  errors: [401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId }) {
    return { profile: await parts.profiles.removePicture(caller.user.id, deviceId), status: ok('Picture removed') };
  },
});
