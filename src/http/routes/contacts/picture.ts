/** `GET /devices/{id}/contacts/{person}/picture` (docs/spec/conversation.md, People): the profile picture, streamed. */
import { Readable } from 'node:stream';
import { operation } from '../../server/operation.ts';
import { cutStalled, sendHead } from '../../streams/streamed-answer.ts';

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
    const { id, stream } = await parts.people.picture(caller.user.id, deviceId, params.person);
    reply
      .type('image/jpeg')
      .header('etag', `"${id.replaceAll(/[^\w-]/g, '')}"`)
      .header('content-security-policy', "default-src 'none'; sandbox");
    const file = Readable.from(stream, { objectMode: false });
    if (request.method === 'HEAD') {
      file.destroy();
      return sendHead(reply);
    }
    cutStalled(reply, parts.options);
    return reply.send(file);
  },
});
