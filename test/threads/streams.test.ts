/** Streams from one thread to another: read to their end, or given up. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { whenGivenUp } from '../../src/domain/given-up.ts';
import type { ThreadCalls } from '../../src/threads/contract.ts';
import { Peer } from '../../src/threads/peer.ts';
import { OpenStreams, readStream } from '../../src/threads/streams.ts';
import { eventually } from '../support/wait.ts';

async function* three(): AsyncGenerator<Uint8Array, void, void> {
  for (const byte of [1, 2, 3]) yield Uint8Array.of(byte);
}

const start = (t: TestContext) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const streams = new OpenStreams();
  const calls: Pick<ThreadCalls, 'pull' | 'drop'> = {
    pull: (number) => streams.pull(number),
    drop: (number) => streams.drop(number),
  };
  const other = new Peer<object>(port2, calls);
  const peer = new Peer<ThreadCalls>(port1, {});
  let ends = 0;
  const number = streams.open(whenGivenUp(three(), () => (ends += 1)));
  return { other, peer, number, stream: readStream(peer, number), ends: () => ends };
};

test('a stream is read to its end, which gives nothing up', async (t) => {
  const { stream, ends } = start(t);
  assert.deepEqual(await Array.fromAsync(stream), [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
  assert.equal(ends(), 0);
});

for (const read of [0, 1]) {
  test(`a stream that is given up after ${read} chunks is ended where it is`, async (t) => {
    const { peer, number, stream, ends } = start(t);
    for (let chunk = 0; chunk < read; chunk += 1) await stream.next();
    await stream.return();
    await eventually('the end of the stream', () => ends() === 1);
    await assert.rejects(peer.call('pull', number), /has ended/);
  });
}
