/** Streamed answers: pages, large answers, images, HEAD, and stalled readers. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PictureFile } from '../../domain/chats/conversation.ts';
import { maxPageBytes, type Page, type PageRequest } from '../../domain/stores.ts';
import { inTurns } from '../../domain/turns.ts';
import type { AnyCall } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { pageOf } from '../views/page.ts';

/** Answers `HEAD` without a length (RFC 9110, section 8.6); the framework would say 0. */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));

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

/** Per piece, which is read, unsealed and written in one turn. */
const pieceItems = 200;
/** After a piece of few large items, the next has at most `fewItems`, or `moreItems` times as many: sizes are read for all of them. */
const fewItems = 8;
const moreItems = 4;
const pieceBytes = 262_144;
const largeBytes = 65_536;

type LargeCall = Pick<AnyCall, 'services' | 'request' | 'reply'>;

interface ListCall extends LargeCall {
  readonly query: { readonly limit?: number; readonly cursor?: string };
}

interface List<Name extends string> {
  readonly name: Name;
  readonly done: string;
  /** A page of a search limits itself, and is read at once. */
  readonly isSearch?: boolean;
  /** Items are small: only what is longer than a piece counts as a large answer. */
  readonly isLight?: boolean;
  /** All items, without a `nextCursor`. */
  readonly isWhole?: boolean;
}

interface Piece<Item, Beside> extends Page<Item> {
  readonly beside?: Beside;
}

type ListAnswer<Name extends string, Item, Beside> = { readonly [K in Name]: readonly Item[] } & Beside & {
    readonly nextCursor: string | null;
    readonly status: ReturnType<typeof ok>;
  };

export const answerLarge = async <T>({ services, request }: LargeCall, read: () => Promise<T>): Promise<T> => {
  await request.ticket?.admitAnswer(services.clock);
  return read();
};

const textOf = async (items: readonly unknown[]): Promise<Buffer> =>
  Buffer.from((await inTurns(items, (item) => JSON.stringify(item))).join(','));

export const answerPages = async <const Name extends string, Item, Beside extends object = object>(
  { services, query, request, reply }: ListCall,
  { name, done, isSearch = false, isLight = false, isWhole = false }: List<Name>,
  read: (page: PageRequest) => Promise<Piece<Item, Beside>>,
): Promise<ListAnswer<Name, Item, Beside> | FastifyReply> => {
  const admitted = () => request.ticket?.admitAnswer(services.clock);
  const release = isLight ? undefined : await admitted();
  const { limit, cursor } = isWhole ? { limit: Infinity, cursor: null } : pageOf(query);
  const maxBytes = isWhole ? Infinity : maxPageBytes;
  const readPiece = (
    from: string | null,
    left: number,
    bytes: number,
    before = pieceItems,
  ): Promise<Piece<Item, Beside>> => {
    if (isSearch) return read({ limit, cursor: from });
    const items = Math.min(left, pieceItems, Math.max(fewItems, before * moreItems));
    return read({ limit: items, cursor: from, bytes: Math.min(bytes, pieceBytes) });
  };
  const first = await readPiece(cursor, limit, maxBytes);
  const text = await textOf(first.items);
  const isEnd = (page: Page<Item>, left: number, bytes: number): boolean =>
    page.nextCursor === null || left <= 0 || bytes <= 0 || isSearch;
  const end = ({ nextCursor, beside }: Piece<Item, Beside>): string =>
    `],${JSON.stringify({ ...(isWhole ? {} : { nextCursor }), ...beside, status: ok(done) }).slice(1)}`;

  const pieces = async function* (): AsyncGenerator<Buffer | string> {
    let [page, piece, left, bytes]: [Piece<Item, Beside>, Buffer, number, number] = [
      first,
      text,
      limit - first.items.length,
      maxBytes - text.length,
    ];
    yield `{"${name}":[`;
    yield piece;
    while (!isEnd(page, left, bytes)) {
      page = await readPiece(page.nextCursor, left, bytes, page.items.length);
      piece = await textOf(page.items);
      [left, bytes] = [left - page.items.length, bytes - piece.length];
      if (page.items.length > 0) yield ',';
      yield piece;
    }
    yield end(page);
  };

  reply.type('application/json; charset=utf-8');
  if (isEnd(first, limit - first.items.length, maxBytes - text.length)) {
    if (text.length <= largeBytes) release?.();
    return reply.send(`{"${name}":[${text.toString()}${end(first)}`);
  }
  if (isLight) await admitted();
  return request.method === 'HEAD' ? sendHead(reply) : reply.send(Readable.from(pieces()));
};

export const inline = /^(?:image\/(?:png|jpeg|gif|webp)|video\/|audio\/)/;

/** The sender chose the type, so only a plain one goes into a header. */
export const safeType = (mimetype: string): string =>
  /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?codecs=[\w.+-]{1,32})?$/.test(mimetype) ? mimetype : 'application/octet-stream';

/** Fetches the first piece before the answer begins, so that an error can still have its status. */
export const begun = async (stream: AsyncIterable<Uint8Array>): Promise<Readable> => {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first.done !== true) yield first.value;
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) yield piece.value;
  };
  // Also if the reader has gone before it began.
  return Readable.from(all(), { objectMode: false }).once('close', () => void pieces.return?.().catch(() => {}));
};
