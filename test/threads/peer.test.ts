/** Calls between threads: order, one message a turn, errors with their classes, and what is no value. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { LeaseLost } from '../../src/domain/lease.ts';
import { HandsetError, mayHaveBeenSent, SendOutcomeUnknown } from '../../src/errors.ts';
import { Peer } from '../../src/threads/peer.ts';

interface Theirs {
  add(a: number, b: number): number;
  fail(how: string): never;
  echo(value: unknown): unknown;
  note(word: string): void;
  never(): Promise<void>;
}

const failures: Readonly<Record<string, Error>> = {
  lease: new LeaseLost(7),
  unknown: new HandsetError('SendFailed', 'Failed', {
    cause: new SendOutcomeUnknown('lost', { cause: new Error('the store') }),
  }),
  limited: new HandsetError('RateLimited', 'Slower', { retryAfterSeconds: 5 }),
  plain: new RangeError('out of it'),
};

const start = (t: TestContext) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const noted: string[] = [];
  const theirs: Theirs = {
    add: (a, b) => a + b,
    fail(how) {
      throw failures[how]!;
    },
    echo: (value) => value,
    note: (word) => void noted.push(word),
    never: () => new Promise(() => undefined),
  };
  let messages = 0;
  port2.on('message', () => (messages += 1));
  const other = new Peer<object>(port2, theirs);
  const peer = new Peer<Theirs>(port1, {});
  return { peer, other, noted, port1, messages: () => messages };
};

test('an answer comes to who has asked, and what is called in one turn goes as one message, in order', async (t) => {
  const { peer, noted, messages } = start(t);
  peer.tell('note', 'first');
  const sums = Promise.all([peer.call('add', 1, 2), peer.call('add', 3, 4)]);
  peer.tell('note', 'second');
  assert.deepEqual(await sums, [3, 7]);
  assert.deepEqual(noted, ['first', 'second']);
  assert.equal(messages(), 1);
});

test('errors keep what the service goes by', async (t) => {
  const { peer } = start(t);
  await assert.rejects(peer.call('fail', 'lease'), (error) => error instanceof LeaseLost && error.deviceId === 7);
  await assert.rejects(peer.call('fail', 'unknown'), (error: Error) => {
    assert.match(String((error.cause as Error).cause), /the store/);
    return mayHaveBeenSent(error);
  });
  await assert.rejects(peer.call('fail', 'limited'), { name: 'RateLimited', message: 'Slower', retryAfterSeconds: 5 });
  await assert.rejects(peer.call('fail', 'plain'), { name: 'Error', message: 'out of it' });
});

test('bytes take nothing along but themselves, and shared ones are the same on both sides', async (t) => {
  const { peer } = start(t);
  const large = new Uint8Array(1_000_000).fill(3);
  const given = { keys: [{ value: large.subarray(5, 9) }], map: new Map([['a', Buffer.from('b')]]), none: null };
  const back = (await peer.call('echo', given)) as typeof given;
  assert.deepEqual(back.keys[0]!.value, new Uint8Array([3, 3, 3, 3]));
  assert.equal(back.keys[0]!.value.buffer.byteLength, 4);
  assert.deepEqual([...back.map.get('a')!], [98]);
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  const same = (await peer.call('echo', shared)) as Uint8Array;
  shared[2] = 9;
  assert.equal(same[2], 9);
});

test('what is no value fails alone', async (t) => {
  const { peer } = start(t);
  const bad = peer.call('echo', () => 1);
  const good = peer.call('add', 1, 1);
  await assert.rejects(bad, /no value/);
  assert.equal(await good, 2);
});

test('when the other side ends, what waits for it fails, and so does what comes later', async (t) => {
  const { peer, other } = start(t);
  const waiting = peer.call('never');
  assert.equal(await peer.call('add', 2, 2), 4);
  peer.end(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(peer.call('add', 1, 1), /gone/);
  void other;
});
