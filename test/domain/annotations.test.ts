/** Reactions, receipts and votes by person: people who were known by one address first are counted once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Deed, type Kept, reactionsIn, receiptsIn, tallyOf } from '../../src/domain/messages/annotation.ts';
import { cpuMsOf } from '../support/cpu.ts';

const lidOnly = { jid: '9002@lid', number: null, lid: '9002@lid' };
const ann = { jid: '4922200002@s.whatsapp.net', number: '4922200002', lid: '9002@lid' };
const bob = { jid: '4933300003@s.whatsapp.net', number: '4933300003', lid: null };

const kept = (from: Kept['from'], at: number, deed: Deed): Kept => ({ from, at, deed });
const vote = (from: Kept['from'], at: number, ...options: (string | null)[]): Kept =>
  kept(from, at, { kind: 'vote', votes: options.map((option) => ({ option })) });

test('reactions: the newest of each person, without those that were taken back', () => {
  const all = [
    kept(ann, 3, { kind: 'reaction', reaction: '🎉' }),
    kept(lidOnly, 1, { kind: 'reaction', reaction: '👍' }),
    kept(bob, 2, { kind: 'reaction', reaction: null }),
    kept(bob, 4, { kind: 'read' }),
  ];
  assert.deepEqual(reactionsIn(all), [{ from: ann, reaction: '🎉', at: 3 }]);
});

test('reactions of very many people take no time that grows with its square', () => {
  const all = Array.from({ length: 40_000 }, (_, n) => {
    const number = String(4_915_000_000_000 + n);
    const person = { jid: `${number}@s.whatsapp.net`, number, lid: `${number}@lid` };
    return kept(person, n, { kind: 'reaction', reaction: '👍' });
  });
  const ms = cpuMsOf(() => assert.equal(reactionsIn(all).length, all.length));
  assert.ok(ms < 2_000, `${ms} ms`);
});

test('receipts: one line for each person, with the first time of each step', () => {
  const all = [
    kept(bob, 5, { kind: 'read' }),
    kept(ann, 4, { kind: 'played' }),
    kept(lidOnly, 2, { kind: 'delivered' }),
    kept(ann, 3, { kind: 'delivered' }),
    kept(ann, 1, { kind: 'reaction', reaction: 'x' }),
  ];
  assert.deepEqual(receiptsIn(all), [
    { person: lidOnly, deliveredAt: 2, readAt: null, playedAt: 4 },
    { person: bob, deliveredAt: null, readAt: 5, playedAt: null },
  ]);
});

test('a tally counts the newest vote of each person, and nobody who took it back', () => {
  const poll = { question: 'Lunch?', options: ['yes', 'no'], maxAnswers: 2 };
  const carl = { ...bob, jid: '4944400004@s.whatsapp.net', number: '4944400004' };
  const tally = tallyOf(poll, [vote(lidOnly, 1, 'yes'), vote(ann, 2, 'no', 'yes'), vote(bob, 3), vote(carl, 4, null)]);
  assert.deepEqual(tally, {
    question: 'Lunch?',
    maxAnswers: 2,
    options: [
      { option: 'yes', votes: 1, voters: [ann] },
      { option: 'no', votes: 1, voters: [ann] },
    ],
    voters: 2,
  });
});
