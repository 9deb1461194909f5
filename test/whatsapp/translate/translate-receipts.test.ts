/** Receipt and call stanzas as changes and events, by tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { type CallOffer, translateCall } from '../../../src/whatsapp/translate/call.ts';
import { eventOf } from '../../../src/store/commit/events-of.ts';
import { annotationsOf, maxIds, type ReceiptStep, translateReceipt } from '../../../src/whatsapp/translate/receipt.ts';
import { ann, at, context, group, knowsAnn, me, unknownPeople } from '../driver.people.ts';

const receipt = (attrs: BinaryNode['attrs'], content?: BinaryNode[]) => {
  const node: BinaryNode = {
    tag: 'receipt',
    attrs: { id: 'S1', t: String(at / 1000), ...attrs },
    ...(content && { content }),
  };
  return translateReceipt(node, context(knowsAnn));
};

const statusEvent = (step: ReceiptStep, chat: string) => eventOf({ receipt: step, chat });

const receipts: readonly (readonly [string, BinaryNode['attrs'], string | null, string])[] = [
  ['delivered', { from: '9002:3@lid' }, 'delivered', ann.phone],
  ['delivered to an inactive device', { from: ann.phone, type: 'inactive' }, 'delivered', ann.phone],
  ['read', { from: ann.lid, type: 'read' }, 'read', ann.phone],
  ['played', { from: ann.lid, type: 'played' }, 'played', ann.phone],
  ['read in a group', { from: group, participant: ann.lid, type: 'read' }, 'read', group],
  ['retry', { from: ann.lid, type: 'retry' }, null, ''],
  ['own device read', { from: me.lid, recipient: ann.lid, type: 'read-self' }, null, ''],
  ['own device got it', { from: '4911100001:0@s.whatsapp.net', recipient: ann.phone, type: 'sender' }, null, ''],
  ['own device in a group', { from: group, participant: me.lid }, null, ''],
];

for (const [name, attrs, status, chat] of receipts) {
  test(`translate: receipt, ${name}`, () => {
    const steps = receipt(attrs);
    if (status === null) {
      assert.deepEqual(steps, []);
      return;
    }
    const { event } = statusEvent(steps[0]!, chat);
    assert.ok(event.type === 'message.updated');
    const from = { jid: ann.phone, number: '4922200002', lid: ann.lid };
    const update = chat === group ? { status, from } : { status };
    assert.deepEqual([event.data.messageId, event.data.chat, event.data.update], ['S1', chat, update]);
    const state = status === 'delivered' ? 'delivered' : 'read';
    assert.deepEqual(
      steps.map((step) => statusEvent(step, step.chat).step),
      [{ messageId: 'S1', chat, step: { state, at } }],
    );
  });
}

test('translate: what happens in this very second has the time of its arrival, so that it follows what was sent', () => {
  const timeAt = (now: number): number => {
    const node: BinaryNode = { tag: 'receipt', attrs: { id: 'S1', from: ann.lid, t: String(at / 1000) } };
    return translateReceipt(node, { ...context(knowsAnn), now })[0]!.step.at;
  };
  assert.equal(timeAt(at + 65), at + 65);
  assert.equal(timeAt(at + 1040), at + 999, 'never another second than the one that the network names');
  assert.equal(timeAt(at + 60_000), at, 'of what has waited, no more is known');
  assert.equal(timeAt(at - 1), at);
});

test('translate: one receipt for many messages', () => {
  const items = ['S2', 'S3'].map((id) => ({ tag: 'item', attrs: { id } }));
  const steps = receipt({ from: ann.lid, type: 'read' }, [{ tag: 'list', attrs: {}, content: items }]);
  assert.deepEqual(
    steps.map(({ messageId }) => messageId),
    ['S1', 'S2', 'S3'],
  );
  assert.equal(new Set(steps.map((step) => statusEvent(step, ann.phone).dedupeKey)).size, 3);
});

test('translate: the readers of a group that the network tells together are one step each, own devices are none', () => {
  const user = (jid: string, t: number) => ({ tag: 'user', attrs: { jid, t: String(t) } });
  const later = at / 1000 + 60;
  const users = [user(ann.lid, at / 1000), user('9003@lid', later), user(me.lid, later)];
  const steps = receipt({ from: group, type: 'read' }, [{ tag: 'participants', attrs: { key: 'S2' }, content: users }]);
  assert.deepEqual(
    steps.map(({ messageId, reader, step }) => [messageId, reader?.lid, step.at]),
    [
      ['S2', ann.lid, at],
      ['S2', '9003@lid', later * 1000],
    ],
  );
  assert.deepEqual(
    steps.flatMap((step) => annotationsOf(step, group)).map(({ deed, from }) => [deed.kind, from.lid]),
    [
      ['read', ann.lid],
      ['read', '9003@lid'],
    ],
  );
});

test('translate: no receipt speaks of more messages than those of the apps do', () => {
  const items = Array.from({ length: 20_000 }, (_, n) => ({ tag: 'item', attrs: { id: `I${n}` } }));
  assert.equal(receipt({ from: ann.lid, type: 'read' }, [{ tag: 'list', attrs: {}, content: items }]).length, maxIds);
});

test('translate: the receipts of two people, and of two chats, are events of their own', () => {
  const other = '9003@lid';
  const keys = [ann.lid, other].flatMap((participant) =>
    [group, '120363000000000002@g.us'].map((from) => {
      const [step] = receipt({ from, participant, type: 'read' });
      return statusEvent(step!, from).dedupeKey;
    }),
  );
  assert.equal(new Set(keys).size, 4);
});

test('translate: a receipt that comes again once the other address is known is the same event', () => {
  const node: BinaryNode = { tag: 'receipt', attrs: { id: 'S1', from: ann.lid, t: String(at / 1000) } };
  const [before, after] = [unknownPeople, knowsAnn].map((peek) =>
    statusEvent(translateReceipt(node, context(peek))[0]!, ann.phone),
  );
  assert.equal(before!.dedupeKey, after!.dedupeKey);
  assert.notDeepEqual(before!.event.data, after!.event.data);
});

const callMemory = () => new Map<string, CallOffer>();
const call = (calls: Map<string, CallOffer>, tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode[]) =>
  translateCall(
    {
      tag: 'call',
      attrs: { from: ann.lid, id: 'C', t: String(at / 1000) },
      content: [
        { tag, attrs: { 'call-id': 'CALL1', 'call-creator': '9002:1@lid', ...attrs }, ...(content && { content }) },
      ],
    },
    { peek: knowsAnn, calls, now: at },
  );

test('translate: a video call from offer to end', () => {
  const calls = callMemory();
  const person = { callId: 'CALL1', from: ann.phone, fromNumber: '4922200002', fromLid: ann.lid };
  const shape = { ...person, isVideo: true, isGroup: false };
  const [offer] = call(calls, 'offer', {}, [{ tag: 'video', attrs: {} }]);
  assert.deepEqual(offer!.event.data, { ...shape, status: 'offer' });
  assert.deepEqual(call(calls, 'transport'), []);
  assert.deepEqual(call(calls, 'terminate', { reason: 'timeout' })[0]!.event.data, { ...shape, status: 'timeout' });
});

const callEnds: readonly (readonly [string, BinaryNode['attrs'], string])[] = [
  ['accept', {}, 'accept'],
  ['reject', {}, 'reject'],
  ['terminate', {}, 'terminate'],
  ['terminate', { reason: 'timeout' }, 'timeout'],
  ['terminate', { reason: 'accepted_elsewhere' }, 'accept'],
  ['terminate', { reason: 'rejected_elsewhere' }, 'reject'],
];

for (const [tag, attrs, status] of callEnds) {
  test(`translate: call ${tag} ${attrs.reason ?? ''}`, () => {
    const { event } = call(callMemory(), tag, attrs)[0]!;
    assert.ok(event.type === 'call');
    assert.equal(event.data.status, status);
  });
}

test('translate: a group call', () => {
  const { event } = call(callMemory(), 'offer', { 'group-jid': group })[0]!;
  assert.ok(event.type === 'call');
  assert.equal(event.data.isGroup, true);
});
