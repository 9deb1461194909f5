/** The probe of a connection, by a clock that the test moves. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { probe, usualPace } from '../../src/whatsapp/probe.ts';
import { manualClock } from '../support/clock.ts';

const stanza: BinaryNode = { tag: 'message', attrs: {} };

const start = () => {
  const clock = manualClock();
  const ws = new EventEmitter();
  const whenEnded = new Set<() => void>();
  const sent: BinaryNode[] = [];
  const sendNode = async (node: BinaryNode): Promise<void> => void sent.push(node);
  let deaf = 0;
  // Only what the probe uses of a socket.
  const sock = { ws, sendNode, generateMessageTag: () => `tag-${sent.length}` };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  probe({ sock, whenEnded } as unknown as Parameters<typeof probe>[0], usualPace, clock, () => (deaf += 1));
  return { clock, ws, sent, end: () => whenEnded.forEach((tell) => tell()), deaf: () => deaf };
};

test('probe: nothing is asked before the handshake is done, and one that is not done in 20 s never will be', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', new Uint8Array(3));
  await clock.advance(19_000);
  assert.deepEqual([sent.length, deaf()], [0, 0]);
  await clock.advance(10 * usualPace.silenceMs);
  assert.deepEqual([sent.length, deaf()], [0, 1]);
});

test('probe: a connection on which something comes is not asked', async () => {
  const { clock, ws, sent, deaf } = start();
  for (let time = 0; time < 20; time += 1) {
    ws.emit('frame', stanza);
    await clock.advance(usualPace.silenceMs / 2);
  }
  assert.deepEqual([sent.length, deaf()], [0, 0]);
});

test('probe: after a silence it asks, and an answer is enough', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', stanza);
  await clock.advance(2 * usualPace.silenceMs);
  assert.deepEqual(
    sent.map(({ tag, attrs }) => [tag, attrs.xmlns]),
    [['iq', 'w:p']],
  );
  ws.emit('frame', { tag: 'iq', attrs: { type: 'result' } });
  await clock.advance(usualPace.answerMs);
  assert.equal(deaf(), 0);
  await clock.advance(usualPace.silenceMs);
  assert.equal(sent.length, 2);
});

test('probe: without an answer the connection is deaf, within 31 s, and that is told once', async () => {
  const { clock, ws, deaf } = start();
  ws.emit('frame', stanza);
  await clock.advance(usualPace.silenceMs);
  await clock.advance(31_000);
  assert.equal(deaf(), 1);
  await clock.advance(300_000);
  assert.equal(deaf(), 1);
});

test('probe: an answer that a busy process reads late counts', async () => {
  const { clock, ws, deaf } = start();
  ws.emit('frame', stanza);
  await clock.advance(2 * usualPace.silenceMs + usualPace.answerMs);
  ws.emit('frame', stanza);
  await clock.advance(usualPace.answerMs);
  assert.equal(deaf(), 0);
});

test('probe: it ends with the connection', async () => {
  const { clock, ws, sent, end, deaf } = start();
  ws.emit('frame', stanza);
  end();
  await clock.advance(300_000);
  assert.deepEqual([clock.waiting, sent.length, deaf()], [0, 0, 0]);
});
