/**
 * Search in what is sealed: rows are opened in the order of their list, a bounded number for each page (decision 33). A page that comes to its
 * bound says where to go on.
 */
import { searchShare } from './search-share.ts';

/** Rows that are read at a time: as many as are read and opened in one turn. */
const [minRead, maxRead] = [20, 100];
/** Milliseconds of work after which others get their turn. */
const turnMs = 1;
/** Milliseconds after which a page ends. */
const pageMs = 4_000;

interface Searched<Row, Key> {
  readonly rows: readonly Row[];
  /** The last row that was opened, when there are more; null at the end of the list. */
  readonly end: Key | null;
  /** Rows opened since the last one that was wanted. */
  readonly inVain: number;
}

interface Search<Row, Key> {
  readonly from: Key | null;
  readonly limit: number;
  /** Rows opened for one page. */
  readonly maxOpened?: number;
  /** At most so many of the next rows, and fewer where they are large; whether more follow. */
  readonly rowsAfter: (
    after: Key | null,
    count: number,
  ) => Promise<{ readonly rows: readonly Row[]; readonly more: boolean }>;
  readonly keyOf: (row: Row) => Key;
  readonly bytesOf: (row: Row) => number;
  readonly isWanted: (row: Row) => boolean;
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal | undefined;
  readonly share?: Pick<typeof searchShare, 'now' | 'spend'>;
}

/** Bytes of the rows that are wanted, with which a page ends. */
const maxBytes = 1_048_576;

/** Up to one more than `limit` rows that are wanted, in the order of the list. */
export const searched = async <Row, Key>(search: Search<Row, Key>): Promise<Searched<Row, Key>> => {
  const { from, limit, maxOpened = 10_000, rowsAfter, keyOf, bytesOf, isWanted, signal, share = searchShare } = search;
  const began = share.now();
  const wanted: Row[] = [];
  let size = 0;
  let [after, opened, inVain, count] = [from, 0, 0, minRead];
  for (;;) {
    let turn = share.now();
    const reading = rowsAfter(after, count);
    // A query of SQLite runs within the call; that of a server takes none of our time.
    const readMs = share.now() - turn;
    const { rows, more } = await reading;
    turn = share.now() - readMs;
    let turns = 0;
    for (const row of rows) {
      const isFound = isWanted(row);
      if (isFound) {
        wanted.push(row);
        size += bytesOf(row);
      }
      [after, opened, inVain] = [keyOf(row), opened + 1, isFound ? 0 : inVain + 1];
      if (wanted.length > limit) return { rows: wanted, end: null, inVain };
      if (size > maxBytes || opened >= maxOpened || share.now() - began > pageMs)
        return { rows: wanted, end: after, inVain };
      const worked = share.now() - turn;
      if (worked < turnMs) continue;
      await share.spend(worked);
      signal?.throwIfAborted();
      turn = share.now();
      turns += 1;
    }
    if (!more) return { rows: wanted, end: null, inVain };
    await share.spend(share.now() - turn);
    signal?.throwIfAborted();
    count = turns === 0 ? Math.min(count * 2, maxRead) : Math.max(minRead, Math.floor(count / (turns + 1)));
  }
};
