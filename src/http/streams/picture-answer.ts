/** A picture of the network, streamed. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PictureFile } from '../../domain/chats/conversation.ts';
import { sendHead } from './streamed-answer.ts';

export const sendPicture = (
  request: FastifyRequest,
  reply: FastifyReply,
  { id, stream }: PictureFile,
): FastifyReply => {
  reply
    .type('image/jpeg')
    .header('etag', `"${id.replaceAll(/[^\w-]/g, '')}"`)
    .header('content-security-policy', "default-src 'none'; sandbox");
  const file = Readable.from(stream, { objectMode: false });
  if (request.method === 'HEAD') {
    file.destroy();
    return sendHead(reply);
  }
  return reply.send(file);
};
