/** Page cursors: opaque to callers, the sort key of the last row inside. */
import { invalidRequest } from '../../errors.ts';
import type { Page } from '../../domain/stores.ts';

type Key = readonly number[];

const encodeCursor = (kind: string, key: Key): string =>
  Buffer.from(JSON.stringify([kind, ...key])).toString('base64url');

/** Throws InvalidRequest naming `cursor` for anything that `encodeCursor` did not make for this list. */
export const decodeCursor = (kind: string, length: number, cursor: string): Key => {
  const [found, ...key] = parse(cursor);
  if (found !== kind || key.length !== length || !key.every(isInteger)) throw malformed();
  return key;
};

const isInteger = (part: unknown): part is number => Number.isSafeInteger(part);

const malformed = (): Error => invalidRequest('cursor must be a nextCursor that this list gave');

const parse = (cursor: string): readonly unknown[] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: malformed as well.
  }
  throw malformed();
};

/** Makes a page of rows that were asked for with one more than its limit. */
export const pageOf = <R, T>(
  kind: string,
  rows: readonly R[],
  limit: number,
  map: { readonly item: (row: R) => T; readonly key: (row: R) => Key },
): Page<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(map.item),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(kind, map.key(last)) : null,
  };
};
