/**
 * Pages of lists: a page ends at its limit, or at its bytes, and its cursor says where to go on. The sizes of rows are read before the rows are, in pieces, and
 * rows are opened in turns.
 */
import { maxPageBytes, type Page } from '../../domain/stores.ts';

/** Rows in one piece. */
const pieceRows = 500;
/** Bytes of one piece; a row that is larger is a piece by itself. */
const pieceBytes = 262_144;

/** A row before it is read. */
interface Head {
  readonly bytes: number;
}

interface Listed<H extends Head, Key, T> {
  readonly from: Key | null;
  readonly limit: number;
  readonly bytes?: number | undefined;
  readonly heads: (after: Key | null, count: number) => Promise<readonly H[]>;
  /** Reads these rows and opens them, in turns and in their order; null for one that is gone. */
  readonly open: (heads: readonly H[]) => Promise<readonly (T | null)[]>;
  readonly keyOf: (head: H) => Key;
  readonly cursorOf: (key: Key) => string;
}

/** The first of them that have room together; the first one also where it has no more than `most` by itself. */
export const fitting = <H extends Head>(
  heads: readonly H[],
  count: number,
  room = pieceBytes,
  most = Infinity,
): readonly H[] => {
  let size = 0;
  const end = heads.findIndex(({ bytes }, index) => {
    size += bytes;
    return index >= count || size > (index === 0 ? Math.max(room, most) : room);
  });
  return end === -1 ? heads : heads.slice(0, end);
};

export const listed = async <H extends Head, Key, T>(list: Listed<H, Key, T>): Promise<Page<T>> => {
  const { from, limit, bytes = maxPageBytes, heads, open, keyOf, cursorOf } = list;
  const items: T[] = [];
  let [after, size] = [from, 0];
  for (;;) {
    const count = Math.min(pieceRows, limit - items.length);
    const found = await heads(after, count + 1);
    const left = bytes - size;
    const piece = fitting(found, count, Math.min(pieceBytes, left), items.length === 0 ? Infinity : left);
    const opened = piece.length === 0 ? [] : await open(piece);
    for (const item of opened) if (item !== null) items.push(item);
    for (const head of piece) [after, size] = [keyOf(head), size + head.bytes];
    if (piece.length === found.length) return { items, nextCursor: null };
    if (items.length === limit || piece.length === 0) return { items, nextCursor: cursorOf(after!) };
  }
};
