/** How devices are spread over nodes: a table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestIdle, shareOf, surplusOf } from '../../src/service/cluster/node-lease.ts';

const nodesOf = (...devices: readonly number[]) =>
  devices.map((count, n) => ({ id: String(n), url: `http://${n}`, draining: false, devices: count }));

test('a node alone has them all, and gives none away', () => {
  assert.equal(shareOf(nodesOf(50)), Infinity);
  assert.equal(surplusOf(nodesOf(50), 50), 0);
});

test('even nodes leave each other alone', () => {
  assert.equal(surplusOf(nodesOf(10, 10, 10), 10), 0);
  assert.equal(surplusOf(nodesOf(2, 1, 1), 2), 0);
});

test('one that joins many gets its share from all of them', () => {
  const nodes = nodesOf(1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 0);
  assert.equal(shareOf(nodes), 911);
  assert.equal(surplusOf(nodes, 1000), 89);
  assert.equal(surplusOf(nodes, 0), 0);
});

test('one that drains counts for nothing but what it has', () => {
  const [first, second] = nodesOf(10, 10);
  assert.equal(shareOf([{ ...first!, draining: true }, second!]), Infinity);
});

test('those that were used the longest time ago go first, and none in the middle of something', () => {
  const device = (id: number, usedAt: number, kind: 'open' | 'closed' | 'reconnecting' = 'open', working = false) =>
    ({ id, usedAt, working, session: { state: { kind } } }) as Parameters<typeof longestIdle>[0][number];
  const all = [
    device(1, 50),
    device(2, 10),
    device(3, 5, 'reconnecting'),
    device(4, 20, 'closed'),
    device(5, 1, 'open', true),
  ];
  assert.deepEqual(longestIdle(all, 2), [2, 4]);
  assert.deepEqual(longestIdle(all, 10), [2, 4, 1]);
});
