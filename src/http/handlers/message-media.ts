/** The decrypted media of a message, streamed (docs/spec/messages.md, Media). */
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../domain/messages/kept-media.ts';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { sendHead } from '../streams/answers.ts';
import type { Reason } from '../../errors.ts';
import { errorBody, reasonHeader } from '../wire/errors.ts';
import { chatIn, chatParameter } from '../schemas/chat.ts';
import { operation } from '../wire/operation.ts';
import { members } from '../wire/build.ts';

/** Null: the whole file, which is also a correct answer to several ranges, and to `If-Range`, as there are no validators. */
const byteRange = (headers: IncomingHttpHeaders, size: number): ByteRange | null | 'unsatisfiable' => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range?.trim() ?? '') ?? [];
  if ((first === '' && last === '') || headers['if-range'] !== undefined) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return null;
  return from >= size ? 'unsatisfiable' : { from, to };
};

const inline = /^(?:image\/(?:png|jpeg|gif|webp)|video\/|audio\/)/;

/** The sender chose the type: only a plain one goes into a header. */
const safeType = (mimetype: string): string =>
  /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?codecs=[\w.+-]{1,32})?$/.test(mimetype) ? mimetype : 'application/octet-stream';

/** RFC 6266: an ASCII name, and the name in UTF-8. */
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

/** Fetches the first piece before the answer begins, so that an error can still have its status. */
const begun = async (stream: AsyncIterable<Uint8Array>): Promise<Readable> => {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first.done !== true) yield first.value;
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) yield piece.value;
  };
  // Also if the reader has gone before it began.
  return Readable.from(all(), { objectMode: false }).once('close', () => void pieces.return?.().catch(() => {}));
};

/** `range` null: the whole file. */
const describeBody = (reply: FastifyReply, size: number, range: ByteRange | null): void => {
  reply.header('accept-ranges', 'bytes').header('content-length', range === null ? size : range.to - range.from);
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.from}-${range.to - 1}/${size}`);
};

export const getMessageMedia = operation({
  id: 'getMessageMedia',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}/media',
  tag: 'Messages',
  summary: 'Download the media of a message, decrypted',
  description:
    'If two chats have a message with this id, the older one is used; `chat` selects the other. If the network no longer has the file, ' +
    'the phone is asked to upload it again, for up to 15 s; without its answer this is 404, and a later request finds the upload. ' +
    'Of media that is kept (see the settings of the device) a part can be read with `Range`; `Accept-Ranges: bytes` tells that it is.',
  query: members({ chat: Type.Optional(chatParameter) }),
  headers: {
    Range: {
      description: 'One range of bytes; of media that is not kept, the answer is the whole file',
      schema: Type.String(),
    },
  },
  otherContent: [{ type: '*/*', description: 'The file, with the media type given by its sender' }],
  ranges: true,
  atOwner: true,
  errors: [400, 401, 404, 408, 416, 422, 429, 500],
  async run({ parts, scope, params, query, request, reply }) {
    const media = await parts.devices.downloadMedia(scope, params.messageId, chatIn(query));
    const { bytes } = media;
    const head = request.method === 'HEAD';
    // Ranges apply to GET only (RFC 9110, section 14.2).
    const range = bytes === null || head ? null : byteRange(request.headers, bytes);
    if (range === 'unsatisfiable') {
      reply.code(416).header('content-range', `bytes */${bytes}`);
      reply.header(reasonHeader, 'range_not_satisfiable' satisfies Reason);
      return reply.send(errorBody(416, `The file has ${bytes} bytes; the range begins behind its end`));
    }
    const mimetype = safeType(media.mimetype);
    const describe = (): FastifyReply =>
      reply
        .type(mimetype)
        .header('content-disposition', disposition(mimetype, media.fileName))
        .header('content-security-policy', "default-src 'none'; sandbox");
    if (head && bytes !== null) {
      describeBody(describe(), bytes, null);
      return sendHead(reply);
    }
    const { stream, kept } = await media.open(range);
    const file = head ? null : await begun(stream);
    describe();
    if (file === null) {
      await stream[Symbol.asyncIterator]().return?.();
      return sendHead(reply);
    }
    if (kept && bytes !== null) describeBody(reply, bytes, range);
    return reply.send(file);
  },
});
