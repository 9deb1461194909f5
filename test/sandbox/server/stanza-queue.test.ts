/** What waits for a device: in order, and gone when it is acked, whether few wait or many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StanzaQueue } from '../../../sandbox/src/stanza-queue.ts';

type Key = readonly [kind: string, id: string, first: string, second: string, third: string];

const kinds = ['message', 'receipt', 'call'];
const words = ['', 'a', 'b'];

/** Each of a number of keys, many of them with the same id. */
const keyOf = (number: number): Key => [
  kinds[number % 3]!,
  `id ${Math.floor(number / 7)}`,
  words[number % 2]!,
  words[Math.floor(number / 2) % 3]!,
  words[Math.floor(number / 6) % 2]!,
];

/** The same numbers in every run. */
const makeRandom = () => {
  let state = 1;
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
};

test('a queue does what a map by whole keys would do', () => {
  const random = makeRandom();
  for (const most of [5, 40, 500]) {
    const queue = new StanzaQueue();
    const expected = new Map<string, { tag: string; attrs: { n: string } }>();
    for (let step = 0; step < 4_000; step += 1) {
      const key = keyOf(random(most));
      if (random(100) < (step < 2_000 ? 60 : 40)) {
        const node = { tag: key[0], attrs: { n: String(step) } };
        expected.set(key.join('|'), node);
        queue.put(...key, node);
      } else assert.equal(queue.remove(...key), expected.delete(key.join('|')));
      assert.equal(queue.size, expected.size);
      if (step % 50 === 0)
        assert.deepEqual(
          Array.from(queue, ({ node }) => node),
          [...expected.values()],
        );
    }
    queue.clear();
    assert.deepEqual([...queue], []);
    assert.equal(queue.remove(...keyOf(1)), false);
  }
});
