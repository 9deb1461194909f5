/**
 * Search in what is sealed: rows are opened in the order of their list, a bounded number for each page (decision 33). A page that comes to its
 * bound says where to go on.
 */
import { setImmediate } from 'node:timers/promises';

/** Rows between which others get their turn. */
const pieceSize = 500;

interface Searched<Row, Key> {
  readonly rows: readonly Row[];
  /** The last row that was opened, when there are more; null at the end of the list. */
  readonly end: Key | null;
}

/** Up to one more than `limit` rows that are wanted, in the order of the list. */
export const searched = async <Row, Key>({
  from,
  limit,
  mostOpened = 10_000,
  rowsAfter,
  keyOf,
  isWanted,
}: {
  readonly from: Key | null;
  readonly limit: number;
  /** Rows opened for one page. */
  readonly mostOpened?: number;
  readonly rowsAfter: (after: Key | null, count: number) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  /** Null: all are. */
  readonly isWanted: ((row: Row) => boolean) | null;
}): Promise<Searched<Row, Key>> => {
  if (isWanted === null) return { rows: await rowsAfter(from, limit + 1), end: null };
  const wanted: Row[] = [];
  let after = from;
  for (let opened = 0; opened < mostOpened; opened += pieceSize) {
    const rows = await rowsAfter(after, pieceSize);
    for (const row of rows) {
      if (isWanted(row)) wanted.push(row);
      if (wanted.length > limit) return { rows: wanted, end: null };
    }
    if (rows.length < pieceSize) return { rows: wanted, end: null };
    after = keyOf(rows.at(-1)!);
    // Others get their turn.
    await setImmediate();
  }
  return { rows: wanted, end: after };
};
