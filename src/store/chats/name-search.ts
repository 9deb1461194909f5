/** Looks chats and contacts up by parts of their names: names are sealed, so rows are opened in turn, a bounded number for each page. */
import { setImmediate } from 'node:timers/promises';

const pieceSize = 500;
/** Rows opened for one page. */
const mostOpened = 20_000;

/** Letters without case and accents. */
const plainText = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

export const matches = (q: string, name: string | null, number: string | null): boolean =>
  (name !== null && plainText(name).includes(plainText(q))) || (number?.includes(q.replace(/^\+/, '')) ?? false);

export interface Searched<Row, Key> {
  readonly rows: readonly Row[];
  /** The last row that was opened, when there are more; null at the end of the list. */
  readonly end: Key | null;
}

/** Up to one more than `limit` rows that are wanted, in the order of the list. */
export const searched = async <Row, Key>(search: {
  readonly from: Key | null;
  readonly limit: number;
  readonly rowsAfter: (after: Key | null, count: number) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly isWanted: (row: Row) => boolean;
}): Promise<Searched<Row, Key>> => {
  const wanted: Row[] = [];
  let after = search.from;
  for (let opened = 0; opened < mostOpened; opened += pieceSize) {
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
