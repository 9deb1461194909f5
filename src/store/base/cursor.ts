/** Page cursors: opaque to callers, they hold the sort key of the last row. */
import { invalidRequest } from '../../errors.ts';
import type { Page } from '../../domain/stores.ts';

type Key = readonly (number | string)[];

export const encodeCursor = (kind: string, key: Key): string =>
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
    readonly key: (row: R) => Key;
    readonly end?: Key | null;
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
