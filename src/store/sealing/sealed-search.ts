/** Search in sealed rows: opened in list order, a bounded number per page (decision 33), which says where to continue. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Of a core per process, for all searches together. */
const partOfCore = 0.1;
/** Work allowed without a pause after idle time: a page of 10,000 ordinary messages. */
const burstMs = 500;

interface Time {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const realTime: Time = {
  now: () => performance.now(),
  pause: (ms) => (ms > 0 ? sleep(ms) : setImmediate()),
};

export class SearchShare {
  readonly #time: Time;
  #evenAt = -Infinity;

  constructor(time: Time = realTime) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now();
  }

  /** Counts work done, and resolves when more is allowed, in the order of the calls. */
  async spend(ms: number): Promise<void> {
    const now = this.#time.now();
    this.#evenAt = Math.max(this.#evenAt, now - burstMs / partOfCore) + ms / partOfCore;
    await this.#time.pause(Math.max(0, this.#evenAt - now));
  }
}

const searchShare = new SearchShare();

const [minRead, maxRead] = [20, 100];
const turnMs = 1;
const pageMs = 4_000;

interface Searched<Row, Key> {
  readonly rows: readonly Row[];
  readonly end: Key | null;
  readonly inVain: number;
}

interface Search<Row, Key> {
  readonly from: Key | null;
  readonly limit: number;
  readonly maxOpened?: number;
  readonly rowsAfter: (
    after: Key | null,
    count: number,
  ) => Promise<{ readonly rows: readonly Row[]; readonly more: boolean }>;
  readonly keyOf: (row: Row) => Key;
  readonly bytesOf: (row: Row) => number;
  readonly isWanted: (row: Row) => boolean;
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
  readonly share?: Pick<typeof searchShare, 'now' | 'spend'>;
}

const maxBytes = 1_048_576;

/** Up to `limit` + 1 matching rows, in list order. */
export const searched = async <Row, Key>(search: Search<Row, Key>): Promise<Searched<Row, Key>> => {
  const { from, limit, maxOpened = 10_000, rowsAfter, keyOf, bytesOf, isWanted, signal, share = searchShare } = search;
  const began = share.now();
  const wanted: Row[] = [];
  let size = 0;
  let [after, opened, inVain, count] = [from, 0, 0, minRead];
  for (;;) {
    let turn = share.now();
    const reading = rowsAfter(after, count);
    // A SQLite query runs within the call; a server's takes none of our time.
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
