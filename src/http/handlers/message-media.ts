/** The decrypted media of a message, streamed (docs/spec/messages.md, Media). */
import * as declared from '../../contract/operations/messages.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../domain/messages/kept-media.ts';
import type { FastifyReply } from 'fastify';
import { chatIn } from '../views/chat.ts';
import { reasonHeader, errorBody } from '../wire/errors.ts';
import type { Reason } from '../../errors.ts';
import { sendHead, begun, inline, safeType } from '../streams/answers.ts';
import { handle } from '../wire/operation.ts';

/** Null: the whole file, also for several ranges and for `If-Range`, as there are no validators. */
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

const describeBody = (reply: FastifyReply, size: number, range: ByteRange | null): void => {
  reply.header('accept-ranges', 'bytes').header('content-length', range === null ? size : range.to - range.from);
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.from}-${range.to - 1}/${size}`);
};

export const getMessageMedia = handle(
  declared.getMessageMedia,
  async ({ services, scope, params, query, request, reply }) => {
    const media = await services.devices.downloadMedia(scope, params.messageId, chatIn(query));
    const { bytes } = media;
    const head = request.method === 'HEAD';
    // Ranges apply to GET only (RFC 9110, section 14.2).
    const range = bytes === null || head ? null : byteRange(request.headers, bytes);
    if (range === 'unsatisfiable') {
      reply.code(416).header('content-range', `bytes */${bytes}`);
      reply.header(reasonHeader, 'range_not_satisfiable' satisfies Reason);
      return reply.send(errorBody(416, `The file has ${bytes} bytes; the range starts beyond its end`));
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
);
