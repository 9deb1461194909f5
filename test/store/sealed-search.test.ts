/** A search in sealed rows opens a bounded number of them for each page, and goes on from there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searched } from '../../src/store/sealed-search.ts';

const search = (wanted: readonly number[], from: number | null, limit: number) => {
  const asked: number[] = [];
  const done = searched({
    from,
    limit,
    mostOpened: 1_000,
    rowsAfter: async (after, count) => {
      asked.push(count);
      const first = (after ?? -1) + 1;
      return Array.from({ length: Math.max(0, Math.min(count, 2_400 - first)) }, (_, index) => first + index);
    },
    keyOf: (row) => row,
    isWanted: (row) => wanted.includes(row),
  });
  return done.then((page) => ({ ...page, asked }));
};

test('a page that comes to its bound says where to go on, and the last one that there is no more', async () => {
  assert.deepEqual(await search([2_300], null, 10), { rows: [], end: 999, asked: [500, 500] });
  assert.deepEqual(await search([2_300], 999, 10), { rows: [], end: 1_999, asked: [500, 500] });
  assert.deepEqual(await search([2_300], 1_999, 10), { rows: [2_300], end: null, asked: [500] });
});

test('a page ends with one more than its limit, and opens no further piece', async () => {
  assert.deepEqual(await search([3, 5, 7, 9], null, 2), { rows: [3, 5, 7], end: null, asked: [500] });
  assert.deepEqual(await search([3, 600], null, 2), { rows: [3, 600], end: 999, asked: [500, 500] });
});
