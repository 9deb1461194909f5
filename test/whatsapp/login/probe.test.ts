/** The probe of connections, by a clock that the test moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { missedPings, Probes, usualPace } from '../../../src/whatsapp/connection/probe.ts';
import { manualClock } from '../../support/clock.ts';

const { silenceMs, answerMs } = usualPace;
/** How much later than at once the probe notices something. */
const tickMs = 1_000;

const start = (clock = manualClock(), probes = new Probes(clock)) => {
  const whenEnded = new Set<() => void>();
  const sent: BinaryNode[] = [];
  const line = { heard: false, send: (nodes: readonly BinaryNode[]) => void sent.push(...nodes) };
  let deaf = 0;
  const sock = { nextId: () => `tag-${sent.length}` };
  probes.watch({ sock, line, whenEnded }, () => (deaf += 1));
  const hear = () => (line.heard = true);
  return { clock, probes, hear, sent, end: () => whenEnded.forEach((tell) => tell()), deaf: () => deaf };
};

test('probe: nothing is asked before the handshake is done, and one that is not done in 20 s never will be', async () => {
  const { clock, sent, deaf } = start();
  await clock.advance(19_000);
  assert.deepEqual([sent.length, deaf()], [0, 0]);
  await clock.advance(2 * tickMs);
  assert.deepEqual([sent.length, deaf()], [0, 1]);
});

test('probe: a connection on which something comes is not asked', async () => {
  const { clock, hear, sent, deaf } = start();
  for (let time = 0; time < 20; time += 1) {
    hear();
    await clock.advance(silenceMs / 3);
  }
  assert.deepEqual([sent.length, deaf()], [0, 0]);
});

test('probe: after a silence it asks, every half minute, and an answer is enough', async () => {
  const { clock, hear, sent, deaf } = start();
  hear();
  await clock.advance(21_000);
  assert.equal(sent.length, 1, 'sooner after traffic');
  hear();
  for (let asked = 2; asked <= 10; asked += 1) {
    await clock.advance(30_000);
    assert.equal(sent.length, asked);
    hear();
  }
  assert.deepEqual(sent.map(({ tag, attrs }) => [tag, attrs['xmlns']])[0], ['iq', 'w:p']);
  assert.equal(new Set(sent.map(({ attrs }) => attrs['id'])).size, 10);
  assert.equal(deaf(), 0);
});

test('probe: three questions without an answer end the connection, within 54 s of the last word, and that is told once', async () => {
  const { clock, hear, sent, deaf } = start();
  hear();
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
  const { clock, hear, sent, deaf } = start();
  hear();
  for (let round = 0; round < 10; round += 1) {
    const before = sent.length;
    while (sent.length < before + missedPings) await clock.advance(100);
    hear();
  }
  assert.equal(deaf(), 0);
});

test('probe: one that was idle is given up within 64 s of its last answer', async () => {
  const { clock, hear, sent, deaf } = start();
  hear();
  while (sent.length === 0) await clock.advance(100);
  hear();
  await clock.advance(62_000);
  assert.deepEqual([sent.length, deaf()], [4, 0]);
  await clock.advance(2_000);
  assert.deepEqual([sent.length, deaf()], [4, 1]);
});

test('probe: an answer has its time, whenever it was asked for', async () => {
  for (const later of [0, 0.3 * tickMs, 0.9 * tickMs]) {
    const { clock, hear, sent, deaf } = start();
    await clock.advance(later);
    hear();
    while (sent.length === 0) await clock.advance(100);
    await clock.advance(answerMs);
    assert.equal(deaf(), 0);
    hear();
    await clock.advance(answerMs + 2 * tickMs);
    assert.equal(deaf(), 0);
  }
});

test('probe: of many connections each is judged by itself, and one that ends takes none along', async () => {
  const first = start();
  const others = Array.from({ length: 3 }, () => start(first.clock, first.probes));
  const [silent, , ended] = others;
  const all = [first, ...others];
  for (const { hear } of all) hear();
  ended!.end();
  for (let second = 0; second < 60; second += 1) {
    await first.clock.advance(1_000);
    for (const each of all) if (each !== silent) each.hear();
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
  const { clock, probes, hear, sent, end, deaf } = start();
  hear();
  end();
  await clock.advance(300_000);
  assert.deepEqual([clock.waiting, sent.length, deaf()], [0, 0, 0]);
  const next = start(clock, probes);
  next.hear();
  await clock.advance(silenceMs + 2 * tickMs);
  assert.equal(next.sent.length, 1);
});
