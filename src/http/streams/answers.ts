/** Answers in pieces: pages, large answers, images, HEAD, and stalled readers. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpOptions } from '../wire/parts.ts';
import type { PictureFile } from '../../domain/chats/conversation.ts';
import { maxPageBytes, type Page, type PageRequest } from '../../domain/stores.ts';
import { inTurns } from '../../domain/turns.ts';
import type { AnyCall } from '../wire/operation.ts';
import { ok } from '../wire/build.ts';
import { pageOf } from '../schemas/page.ts';

/** Well above the heartbeat of the event stream. */
const stalledMs = 60_000;

/** Answers `HEAD` if the length is unknown (RFC 9110, section 8.6): the framework would say 0. */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));

/** Disconnects a reader that takes nothing: what waits for it must not fill memory. */
export const cutStalled = (reply: FastifyReply, options: HttpOptions): void => {
  reply.raw.setTimeout(options.stalledReaderMs ?? stalledMs, () => reply.raw.destroy());
};

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

/** Limits of one piece: what is read, unsealed and written in one turn. */
const pieceItems = 200;
const pieceBytes = 262_144;
/** A larger answer counts as under way until its reader has it. */
const largeBytes = 65_536;

type LargeCall = Pick<AnyCall, 'parts' | 'request' | 'reply'>;

interface ListCall extends LargeCall {
  readonly query: { readonly limit?: number; readonly cursor?: string };
}

interface List<Name extends string> {
  readonly name: Name;
  /** Message of the status. */
  readonly done: string;
  /** A page of a search ends early by itself, and is read at once. */
  readonly isSearch?: boolean;
}

/** `beside`: members next to the list. */
interface Piece<Item, Beside> extends Page<Item> {
  readonly beside?: Beside;
}

type ListAnswer<Name extends string, Item, Beside> = { readonly [K in Name]: readonly Item[] } & Beside & {
    readonly nextCursor: string | null;
    readonly status: ReturnType<typeof ok>;
  };

/** Reads one thing that may be large, once few others of the user are under way. */
export const answerLarge = async <T>({ parts, request }: LargeCall, read: () => Promise<T>): Promise<T> => {
  await request.ticket?.admitAnswer(parts.clock);
  return read();
};

const textOf = async (items: readonly unknown[]): Promise<Buffer> =>
  Buffer.from((await inTurns(items, (item) => JSON.stringify(item))).join(','));

/** `read` reads a piece after a cursor, within limits of items and bytes. */
export const answerPages = async <const Name extends string, Item, Beside extends object = object>(
  { parts, query, request, reply }: ListCall,
  { name, done, isSearch = false }: List<Name>,
  read: (page: PageRequest) => Promise<Piece<Item, Beside>>,
): Promise<ListAnswer<Name, Item, Beside> | FastifyReply> => {
  const release = await request.ticket?.admitAnswer(parts.clock);
  const { limit, cursor } = pageOf(query);
  const readPiece = (from: string | null, left: number, bytes: number): Promise<Piece<Item, Beside>> =>
    read(
      isSearch
        ? { limit, cursor: from }
        : { limit: Math.min(left, pieceItems), cursor: from, bytes: Math.min(bytes, pieceBytes) },
    );
  const first = await readPiece(cursor, limit, maxPageBytes);
  const text = await textOf(first.items);
  const isEnd = (page: Page<Item>, left: number, bytes: number): boolean =>
    page.nextCursor === null || left <= 0 || bytes <= 0 || isSearch;
  const end = ({ nextCursor, beside }: Piece<Item, Beside>): string =>
    `],${JSON.stringify({ nextCursor, ...beside, status: ok(done) }).slice(1)}`;

  const pieces = async function* (): AsyncGenerator<Buffer | string> {
    let [page, piece, left, bytes]: [Piece<Item, Beside>, Buffer, number, number] = [
      first,
      text,
      limit - first.items.length,
      maxPageBytes - text.length,
    ];
    yield `{"${name}":[`;
    yield piece;
    while (!isEnd(page, left, bytes)) {
      page = await readPiece(page.nextCursor, left, bytes);
      piece = await textOf(page.items);
      [left, bytes] = [left - page.items.length, bytes - piece.length];
      if (page.items.length > 0) yield ',';
      yield piece;
    }
    yield end(page);
  };

  reply.type('application/json; charset=utf-8');
  if (isEnd(first, limit - first.items.length, maxPageBytes - text.length)) {
    if (text.length <= largeBytes) release?.();
    return reply.send(`{"${name}":[${text.toString()}${end(first)}`);
  }
  return request.method === 'HEAD' ? sendHead(reply) : reply.send(Readable.from(pieces()));
};
