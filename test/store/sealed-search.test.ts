/** A search in sealed rows opens a bounded number of them for each page, in turns by time, and all searches share a tenth of a core. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchShare } from '../../src/store/sealing/sealed-search.ts';
import { searched } from '../../src/store/sealing/sealed-search.ts';

/** A time that passes by work and by pauses alone. */
const makeTime = () => {
  let now = 0;
  const pauses: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    now += ms;
    pauses.push(ms);
  };
  return { pauses, work: (ms: number) => (now += ms), share: new SearchShare({ now: () => now, pause }) };
};

const count = 2_400;

interface Options {
  readonly limit?: number;
  /** Milliseconds to open one row. */
  readonly openMs?: number;
  /** Bytes of one row. */
  readonly bytes?: number;
  readonly signal?: AbortSignal;
}

const search = async (
  wanted: readonly number[],
  from: number | null,
  { limit = 10, openMs = 0, bytes = 1, signal }: Options = {},
) => {
  const { pauses, work, share } = makeTime();
  let opened = 0;
  const page = await searched({
    from,
    limit,
    maxOpened: 1_000,
    rowsAfter: async (after, most) => {
      const first = (after ?? -1) + 1;
      const length = Math.max(0, Math.min(most, count - first));
      return { rows: Array.from({ length }, (_, index) => first + index), more: first + length < count };
    },
    bytesOf: () => bytes,
    keyOf: (row) => row,
    isWanted: (row) => {
      work(openMs);
      opened += 1;
      return wanted.includes(row);
    },
    signal,
    share,
  });
  return { ...page, opened, now: share.now(), pauses };
};

test('a page that comes to its bound says where to go on and what it has opened in vain, and the last one that there is no more', async () => {
  assert.partialDeepStrictEqual(await search([2_300], null), { rows: [], end: 999, inVain: 1_000, opened: 1_000 });
  assert.partialDeepStrictEqual(await search([2_300], 999), { rows: [], end: 1_999, inVain: 1_000 });
  assert.partialDeepStrictEqual(await search([2_300], 1_999), { rows: [2_300], end: null, inVain: 99 });
});

test('a page ends with one more than its limit', async () => {
  assert.partialDeepStrictEqual(await search([3, 5, 7, 9], null, { limit: 2 }), {
    rows: [3, 5, 7],
    end: null,
    opened: 8,
  });
  assert.partialDeepStrictEqual(await search([3, 600], null, { limit: 2 }), { rows: [3, 600], end: 999 });
});

test('a page ends when what it has found is large', async () => {
  const page = await search([3, 5, 7, 9], null, { bytes: 600_000 });
  assert.partialDeepStrictEqual(page, { rows: [3, 5], end: 5, inVain: 0 });
  assert.partialDeepStrictEqual(await search([7], 5, { bytes: 2_000_000 }), { rows: [7], end: 7, inVain: 0 });
});

test('others get their turn by the time that rows take, and a page ends after four seconds', async () => {
  const quick = await search([], null, { openMs: 0.1 });
  assert.ok(quick.pauses.length >= 20 && quick.pauses.every((ms) => ms === 0), 'within what may be done at once');
  const slow = await search([], null, { openMs: 20 });
  assert.partialDeepStrictEqual(slow, { rows: [], end: slow.opened - 1 });
  assert.ok(slow.now > 4_000 && slow.now < 4_500, `${slow.now} ms`);
  assert.ok(slow.opened * 20 <= 500 + slow.now / 10 + 20, `${slow.opened} rows of 20 ms in ${slow.now} ms`);
  assert.ok(slow.pauses.length >= slow.opened - 1);
});

test('a search for which nobody waits any more ends at its next turn', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await assert.rejects(search([], null, { openMs: 6, signal: gone }), /gone/);
});

test('several searches share a tenth of a core between them, each in its turn', async () => {
  let now = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const pause = (ms: number) => new Promise<void>((resolve) => waiting.push({ at: now + ms, go: resolve }));
  const share = new SearchShare({ now: () => now, pause });
  const done = [0, 0, 0];
  const work = async (index: number): Promise<void> => {
    while (now < 60_000) {
      now += 5;
      done[index]! += 5;
      await share.spend(5);
    }
  };
  const searches = Promise.all(done.map((_, index) => work(index)));
  while (now < 60_000) {
    await new Promise(setImmediate);
    const next = waiting.toSorted((a, b) => a.at - b.at)[0]!;
    waiting.splice(waiting.indexOf(next), 1);
    now = Math.max(now, next.at);
    next.go();
  }
  for (const { go } of waiting) go();
  await searches;
  const whole = done.reduce((sum, ms) => sum + ms, 0);
  assert.ok(whole <= 6_000 + 500 + 15, `${whole} ms of 60,000`);
  assert.ok(Math.max(...done) - Math.min(...done) <= 100, done.join(', '));
});
