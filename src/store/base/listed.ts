/** Pages limited by rows and by bytes. Sizes are read before rows, and rows are opened in batches that yield to other work. */
import { maxPageBytes, type Page } from '../../domain/stores.ts';
import { inTurns, nextTurn } from '../../domain/turns.ts';
import { invalidRequest } from '../../errors.ts';

const pieceRows = 500;
/** A larger row is a piece by itself. */
const pieceBytes = 262_144;

interface Head {
  readonly bytes: number;
}

interface Listed<H extends Head, Key, T> {
  readonly from: Key | null;
  readonly limit: number;
  readonly bytes?: number | undefined;
  readonly heads: (after: Key | null, count: number) => Promise<readonly H[]>;
  readonly open: (heads: readonly H[]) => Promise<readonly (T | null)[]>;
  readonly keyOf: (head: H) => Key;
  readonly cursorOf: (key: Key) => string;
}

/** The first rows that fit into `max` bytes together; always at least one. */
export const fitting = <H extends Head>(
  heads: readonly H[],
  count: number,
  room = pieceBytes,
  max = Infinity,
): readonly H[] => {
  let size = 0;
  const end = heads.findIndex(({ bytes }, index) => {
    size += bytes;
    return index >= count || size > (index === 0 ? Math.max(room, max) : room);
  });
  return end === -1 ? heads : heads.slice(0, end);
};

export const inPieces =
  <H extends Head, Key, Row>(
    heads: (after: Key | null, count: number) => Promise<readonly H[]>,
    rowsOf: (heads: readonly H[]) => Promise<readonly Row[]>,
  ) =>
  async (after: Key | null, count: number) => {
    const found = await heads(after, count + 1);
    const piece = fitting(found, count);
    return { rows: await rowsOf(piece), more: piece.length < found.length };
  };

/** Opens rows in the order of their heads, in turns; null for one that is gone since. */
export const inOrder = <H, Row, T>(
  heads: readonly H[],
  rows: readonly Row[],
  keyOf: (of: H | Row) => unknown,
  open: (row: Row) => T,
): Promise<(T | null)[]> => {
  const byKey = new Map(rows.map((row) => [String(keyOf(row)), row]));
  return inTurns(heads, (head) => {
    const row = byKey.get(String(keyOf(head)));
    return row === undefined ? null : open(row);
  });
};

export const listed = async <H extends Head, Key, T>(list: Listed<H, Key, T>): Promise<Page<T>> => {
  const { from, limit, bytes = maxPageBytes, heads, open, keyOf, cursorOf } = list;
  const items: T[] = [];
  let [after, size] = [from, 0];
  for (;;) {
    const count = Math.min(pieceRows, limit - items.length);
    const found = await heads(after, count + 1);
    let ahead = found.slice(0, count);
    while (ahead.length > 0) {
      const left = bytes - size;
      const piece = fitting(ahead, count, Math.min(pieceBytes, left), items.length === 0 ? Infinity : left);
      if (piece.length === 0) return { items, nextCursor: cursorOf(after!) };
      await nextTurn();
      for (const item of await open(piece)) if (item !== null) items.push(item);
      for (const head of piece) [after, size] = [keyOf(head), size + head.bytes];
      ahead = ahead.slice(piece.length);
    }
    if (found.length <= count) return { items, nextCursor: null };
    if (items.length === limit) return { items, nextCursor: cursorOf(after!) };
  }
};

type SortKey = readonly (number | string)[];

/** Page cursors: opaque to callers, they hold the sort key of the last row. */
export const encodeCursor = (kind: string, key: SortKey): string =>
  Buffer.from(JSON.stringify([kind, ...key])).toString('base64url');

/** Throws InvalidRequest naming `cursor`. `longest`: of a key with optional members. */
export const decodeCursor = (kind: string, length: number, cursor: string, longest = length): readonly number[] => {
  const [found, ...key] = parse(cursor);
  if (found !== kind || key.length < length || key.length > longest || !key.every(isInteger)) throw malformed();
  return key;
};

export const decodeHashCursor = (kind: string, cursor: string): readonly [number, string] => {
  const [found, at, hash, ...more] = parse(cursor);
  if (found !== kind || !isInteger(at) || typeof hash !== 'string' || more.length > 0) throw malformed();
  return [at, hash];
};

const isInteger = (part: unknown): part is number => Number.isSafeInteger(part);

const malformed = (): Error => invalidRequest('cursor must be a nextCursor of this list');

const parse = (cursor: string): readonly unknown[] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: also malformed.
  }
  throw malformed();
};

export const pageOf = <R, T>(
  kind: string,
  rows: readonly R[],
  limit: number,
  map: {
    readonly key: (row: R) => SortKey;
    readonly end?: SortKey | null;
  } & ({ readonly item: (row: R) => T } | { readonly items: readonly T[] }),
): Page<T> => {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? (map.end ?? null) : map.key(last);
  return {
    items: 'items' in map ? map.items : shown.map(map.item),
    nextCursor: next === null ? null : encodeCursor(kind, next),
  };
};
