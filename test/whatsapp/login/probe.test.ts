/** The probe of connections, by a clock that the test moves. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { missedPings, type Probed, Probes, usualPace } from '../../../src/whatsapp/login/probe.ts';
import { manualClock } from '../../support/clock.ts';

const stanza: BinaryNode = { tag: 'message', attrs: {} };
const { silenceMs, answerMs } = usualPace;
/** How much later than at once the probe notices something. */
const tickMs = 1_000;

const start = (clock = manualClock(), probes = new Probes(clock)) => {
  const ws = new EventEmitter();
  const whenEnded = new Set<() => void>();
  const sent: BinaryNode[] = [];
  const line = { send: (nodes: readonly BinaryNode[]) => void sent.push(...nodes) };
  let deaf = 0;
  // Only what the probe uses of a connection.
  const sock = { ws, generateMessageTag: () => `tag-${sent.length}` };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  probes.watch({ sock, line, whenEnded } as unknown as Probed, () => (deaf += 1));
  return { clock, probes, ws, sent, end: () => whenEnded.forEach((tell) => tell()), deaf: () => deaf };
};

test('probe: nothing is asked before the handshake is done, and one that is not done in 20 s never will be', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', new Uint8Array(3));
  await clock.advance(19_000);
  assert.deepEqual([sent.length, deaf()], [0, 0]);
  await clock.advance(2 * tickMs);
  assert.deepEqual([sent.length, deaf()], [0, 1]);
});

test('probe: a connection on which something comes is not asked', async () => {
  const { clock, ws, sent, deaf } = start();
  for (let time = 0; time < 20; time += 1) {
    ws.emit('frame', stanza);
    await clock.advance(silenceMs / 3);
  }
  assert.deepEqual([sent.length, deaf()], [0, 0]);
});

test('probe: after a silence it asks, every half minute, and an answer is enough', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', stanza);
  await clock.advance(21_000);
  assert.equal(sent.length, 1, 'sooner after traffic');
  ws.emit('frame', { tag: 'iq', attrs: { type: 'result' } });
  for (let asked = 2; asked <= 10; asked += 1) {
    await clock.advance(30_000);
    assert.equal(sent.length, asked);
    ws.emit('frame', { tag: 'iq', attrs: { type: 'result' } });
  }
  assert.deepEqual(sent.map(({ tag, attrs }) => [tag, attrs['xmlns']])[0], ['iq', 'w:p']);
  assert.equal(new Set(sent.map(({ attrs }) => attrs['id'])).size, 10);
  assert.equal(deaf(), 0);
});

test('probe: three questions without an answer end the connection, within 54 s of the last word, and that is told once', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', stanza);
  await clock.advance(30_000);
  assert.deepEqual([sent.length, deaf()], [1, 0]);
  await clock.advance(11_000);
  assert.deepEqual([sent.length, deaf()], [2, 0]);
  await clock.advance(11_000);
  assert.deepEqual([sent.length, deaf()], [3, 0]);
  await clock.advance(2_000);
  assert.deepEqual([sent.length, deaf()], [3, 1]);
  await clock.advance(300_000);
  assert.deepEqual([sent.length, deaf(), clock.waiting], [3, 1, 0]);
});

test('probe: one or two answers that are lost end nothing', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', stanza);
  for (let round = 0; round < 10; round += 1) {
    const before = sent.length;
    while (sent.length < before + missedPings) await clock.advance(100);
    ws.emit('frame', { tag: 'iq', attrs: { type: 'result' } });
  }
  assert.equal(deaf(), 0);
});

test('probe: one that was idle is given up within 64 s of its last answer', async () => {
  const { clock, ws, sent, deaf } = start();
  ws.emit('frame', stanza);
  while (sent.length === 0) await clock.advance(100);
  ws.emit('frame', stanza);
  await clock.advance(62_000);
  assert.deepEqual([sent.length, deaf()], [4, 0]);
  await clock.advance(2_000);
  assert.deepEqual([sent.length, deaf()], [4, 1]);
});

test('probe: an answer has its time, whenever it was asked for', async () => {
  for (const later of [0, 0.3 * tickMs, 0.9 * tickMs]) {
    const { clock, ws, sent, deaf } = start();
    await clock.advance(later);
    ws.emit('frame', stanza);
    while (sent.length === 0) await clock.advance(100);
    await clock.advance(answerMs);
    assert.equal(deaf(), 0);
    ws.emit('frame', stanza);
    await clock.advance(answerMs + 2 * tickMs);
    assert.equal(deaf(), 0);
  }
});

test('probe: of many connections each is judged by itself, and one that ends takes none along', async () => {
  const first = start();
  const others = Array.from({ length: 3 }, () => start(first.clock, first.probes));
  const [silent, , ended] = others;
  const all = [first, ...others];
  for (const { ws } of all) ws.emit('frame', stanza);
  ended!.end();
  for (let second = 0; second < 60; second += 1) {
    await first.clock.advance(1_000);
    for (const each of all) if (each !== silent) each.ws.emit('frame', stanza);
  }
  assert.deepEqual(
    all.map(({ deaf, sent }) => [deaf(), sent.length]),
    [
      [0, 0],
      [1, 3],
      [0, 0],
      [0, 0],
    ],
  );
  assert.equal(first.clock.waiting, 1);
});

test('probe: it ends with the connection, and begins with the next', async () => {
  const { clock, probes, ws, sent, end, deaf } = start();
  ws.emit('frame', stanza);
  end();
  await clock.advance(300_000);
  assert.deepEqual([clock.waiting, sent.length, deaf()], [0, 0, 0]);
  const next = start(clock, probes);
  next.ws.emit('frame', stanza);
  await clock.advance(silenceMs + 2 * tickMs);
  assert.equal(next.sent.length, 1);
});
