/** Pages of lists end at their limit or at their bytes, and go on from there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed } from '../../src/store/base/listed.ts';

interface Asked {
  readonly from?: number | null;
  readonly limit: number;
  readonly bytes?: number;
  readonly sizeOf?: (row: number) => number;
  readonly rows?: number;
}

/** Pages of rows that are their own numbers. */
const page = async ({ from = null, limit, bytes, sizeOf = () => 1, rows = 2_400 }: Asked) => {
  const opened: number[] = [];
  const { items, ...rest } = await listed({
    from,
    limit,
    bytes,
    heads: async (after: number | null, count) => {
      const first = (after ?? -1) + 1;
      return Array.from({ length: Math.max(0, Math.min(count, rows - first)) }, (_, index) => ({
        row: first + index,
        bytes: sizeOf(first + index),
      }));
    },
    open: async (heads) => {
      opened.push(heads.length);
      return heads.map(({ row }) => row);
    },
    keyOf: ({ row }) => row,
    cursorOf: String,
  });
  return { items, ...rest, opened };
};

test('a page ends at its limit, and reads no row beyond', async () => {
  assert.deepEqual(await page({ limit: 3 }), { items: [0, 1, 2], nextCursor: '2', opened: [3] });
  assert.deepEqual(await page({ limit: 3, rows: 3 }), { items: [0, 1, 2], nextCursor: null, opened: [3] });
  assert.deepEqual(await page({ limit: 3, rows: 0 }), { items: [], nextCursor: null, opened: [] });
  assert.deepEqual((await page({ limit: 700 })).opened, [500, 200]);
});

test('a page ends before the row that has no room, but has one row at least', async () => {
  const sizeOf = (row: number): number => (row === 4 ? 1_000 : 30);
  assert.deepEqual(await page({ limit: 10, bytes: 100, sizeOf }), { items: [0, 1, 2], nextCursor: '2', opened: [3] });
  assert.deepEqual(await page({ limit: 10, bytes: 100, sizeOf, from: 2 }), {
    items: [3],
    nextCursor: '3',
    opened: [1],
  });
  assert.deepEqual(await page({ limit: 10, bytes: 100, sizeOf, from: 3 }), {
    items: [4],
    nextCursor: '4',
    opened: [1],
  });
});

test('rows are read in pieces of a quarter of a megabyte, and one that is larger by itself', async () => {
  const sizeOf = (): number => 100_000;
  assert.deepEqual((await page({ limit: 10, sizeOf })).opened, [2, 2, 2, 2, 2]);
  assert.deepEqual((await page({ limit: 3, sizeOf: () => 2_000_000 })).opened, [1, 1]);
});
