/** `GET /devices/{id}/contacts/{person}/picture` (docs/spec/conversation.md, People): the profile picture, streamed. */
import { operation } from '../../wire/operation.ts';
import { sendPicture } from '../../streams/picture-answer.ts';

export const getContactPicture = operation({
  id: 'getContactPicture',
  method: 'GET',
  path: '/devices/{id}/contacts/{person}/picture',
  tag: 'Chats',
  summary: 'Download the profile picture of a person',
  description: '404 where there is none, or the person hides it from this account.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params, request, reply }) {
    const picture = await parts.people.picture(caller.user.id, deviceId, params.person);
    return sendPicture(request, reply, picture);
  },
});
