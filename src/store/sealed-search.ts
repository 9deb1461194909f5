/**
 * Search in what is sealed: rows are opened in the order of their list, a bounded number for each page (decision 33). A page that comes to its
 * bound says where to go on.
 */
import { setImmediate } from 'node:timers/promises';

/** Rows opened for one page of a search. */
export const mostOpened = 10_000;
/** Rows between which others get their turn. */
const pieceSize = 500;

interface Searched<Row, Key> {
  readonly rows: readonly Row[];
  /** The last row that was opened, when there are more; null at the end of the list. */
  readonly end: Key | null;
}

/** Up to one more than `limit` rows that are wanted, in the order of the list. */
export const searched = async <Row, Key>(search: {
  readonly from: Key | null;
  readonly limit: number;
  /** Rows opened for one page. */
  readonly mostOpened: number;
  readonly rowsAfter: (after: Key | null, count: number) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly isWanted: (row: Row) => boolean;
}): Promise<Searched<Row, Key>> => {
  const wanted: Row[] = [];
  let after = search.from;
  for (let opened = 0; opened < search.mostOpened; opened += pieceSize) {
    const rows = await search.rowsAfter(after, pieceSize);
    for (const row of rows) {
      if (search.isWanted(row)) wanted.push(row);
      if (wanted.length > search.limit) return { rows: wanted, end: null };
    }
    if (rows.length < pieceSize) return { rows: wanted, end: null };
    after = search.keyOf(rows.at(-1)!);
    // Others get their turn.
    await setImmediate();
  }
  return { rows: wanted, end: after };
};
