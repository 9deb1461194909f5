/** `GET /devices/{id}/messages/{messageId}/media` (docs/spec/messages.md, Media): the decrypted media, streamed. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { cutStalled, sendHead } from '../../streams/streamed-answer.ts';
import { operation } from '../../server/operation.ts';
import { members } from '../../schemas/build.ts';
import { chatParameter } from './list.ts';

const inline = /^(?:image\/(?:png|jpeg|gif|webp)|video\/|audio\/)/;

/** The writer chose the type; nothing but a plain one goes into a header. */
const safeType = (mimetype: string): string =>
  /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?codecs=[\w.+-]{1,32})?$/.test(mimetype) ? mimetype : 'application/octet-stream';

/** RFC 6266: the name for all, and for those who know it the name in UTF-8. */
const disposition = (mimetype: string, fileName: string | null): string => {
  const kind = inline.test(mimetype) ? 'inline' : 'attachment';
  if (fileName === null || !fileName.isWellFormed()) return kind;
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_').slice(0, 200);
  const coded = encodeURIComponent(fileName.slice(0, 200).toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${coded}`;
};

/** Fetches the first piece before the answer begins, so that what is wrong can still be said with a status. */
const begun = async (stream: AsyncIterable<Uint8Array>): Promise<Readable> => {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first.done !== true) yield first.value;
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) yield piece.value;
  };
  // Also where the reader has gone before all of this began. How it ends interests nobody then.
  return Readable.from(all(), { objectMode: false }).once('close', () => void pieces.return?.().catch(() => {}));
};

export const getMessageMedia = operation({
  id: 'getMessageMedia',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}/media',
  tag: 'Messages',
  summary: 'Download the media of a message, decrypted',
  description:
    'If two chats have a message with this id, the older one is used; `chat` selects the other. If the network no longer has the file, ' +
    'the phone is asked to upload it again, for up to 15 s; without its answer this is 404, and a later request finds the upload.',
  query: members({ chat: Type.Optional(chatParameter) }),
  otherContent: [{ type: '*/*', description: 'The file, with the media type given by its sender' }],
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, params, query, request, reply }) {
    const media = await parts.devices.downloadMedia(caller.user.id, deviceId, params.messageId, query.chat);
    const head = request.method === 'HEAD';
    const file = head ? null : await begun(media.stream);
    const mimetype = safeType(media.mimetype);
    reply
      .type(mimetype)
      .header('content-disposition', disposition(mimetype, media.fileName))
      .header('content-security-policy', "default-src 'none'; sandbox");
    if (file === null) {
      await media.stream[Symbol.asyncIterator]().return?.();
      return sendHead(reply);
    }
    cutStalled(reply, parts.options);
    return reply.send(file);
  },
});
