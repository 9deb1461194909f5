/** Reactions to the acknowledgement of a message. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { SendOutcomeUnknown } from '../../../src/errors.ts';
import { makeLog } from '../../../src/log.ts';
import { factsOf, setFacts } from '../../../src/whatsapp/identity/account.ts';
import { AckReactions, Acks, type AckSaid, SendRefused } from '../../../src/whatsapp/send/server-ack.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import type { OutboundMessage } from '../../../src/whatsapp/send/outbox.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { ann, group, messageTo } from './outbox-support.ts';

const me = { id: '4915550000001:3@s.whatsapp.net', lid: '100001@lid' };
const annsLid = '200002@lid';
const nothing: AckSaid = { phash: null, refreshLid: false };

const start = () => {
  const creds = { ...newCredentials(), me };
  const forgotten: unknown[][] = [];
  const refreshed: string[] = [];
  const doubted: string[] = [];
  const keys: string[] = [];
  const reactions = new AckReactions({
    sock: { update: () => undefined },
    creds,
    memory: makeDeviceMemory(),
    doubtGroup: (jid: string) => void doubted.push(jid),
    groupSends: { taken: async () => void keys.push('taken'), refused: () => void keys.push('refused') },
    devices: { forget: (jids: readonly unknown[]) => void forgotten.push([...jids]) },
    lidMapping: { refresh: async (pn: string) => void refreshed.push(pn) },
    log: makeLog('silent'),
  });
  return { reactions, creds, forgotten, refreshed, doubted, keys };
};

/** A outbound that has left. */
const sent = (byPhone = false): OutboundMessage => ({
  ...messageTo(ann, 'A'),
  ...(byPhone ? { byPhone } : {}),
  sentTo: byPhone
    ? { wire: { to: ann, peerPhone: null, own: '4915550000001@s.whatsapp.net' }, own: [], recipients: [ann] }
    : { wire: { to: annsLid, peerPhone: ann, own: '100001@lid' }, own: ['100001@lid'], recipients: [annsLid] },
});
const bothLists = [annsLid, ann, me.id, me.lid];

const hashOf = (jids: readonly string[]): string =>
  `2:${createHash('sha256')
    .update([...jids].sort().join(''))
    .digest()
    .subarray(0, 6)
    .toString('base64')}`;

test('a hash of other devices drops both lists, once for the same objection; one of the right devices does not', () => {
  const { reactions, forgotten } = start();
  const right = ['100001.0:0@lid', '200002.0:0@lid'];
  for (const devices of [right, [...right, '100001.0:3@lid']]) {
    reactions.taken(sent(), { ...nothing, phash: hashOf(devices) });
  }
  reactions.taken(sent(), nothing);
  assert.deepEqual(forgotten, []);
  const phash = hashOf([...right, '200002.0:4@lid']);
  reactions.taken(sent(), { ...nothing, phash });
  assert.deepEqual(forgotten, [bothLists]);
  reactions.taken(sent(), { ...nothing, phash });
  assert.equal(forgotten.length, 1);
  reactions.taken(sent(), { ...nothing, phash: 'nonsense' });
  assert.equal(forgotten.length, 2);
});

test('a LID that has become another one is asked for again by number, with a message taken or refused', () => {
  const { reactions, refreshed, forgotten } = start();
  reactions.taken(sent(), { ...nothing, refreshLid: true });
  reactions.refused(sent(), new SendRefused('404', { ...nothing, refreshLid: true }));
  assert.deepEqual(refreshed, [ann, ann]);
  assert.deepEqual(forgotten, [bothLists, bothLists]);
});

test('400 to a LID: once more by number, and what was taken then is remembered until the network says otherwise', () => {
  const { reactions, creds } = start();
  const outbound = sent();
  assert.equal(reactions.refused(outbound, new SendRefused('400')), true);
  assert.equal(outbound.byPhone, true);
  const again = sent(true);
  assert.equal(reactions.refused(again, new SendRefused('400')), false, 'never a third time');
  assert.equal(factsOf(creds).lidMigrated, undefined, 'two refusals tell nothing of the account');
  reactions.taken(again, nothing);
  assert.equal(factsOf(creds).lidMigrated, false);
  reactions.taken(sent(), nothing);
  assert.equal(factsOf(creds).lidMigrated, true, 'a message to a LID was taken since');
});

const inGroup = (): OutboundMessage => {
  const outbound = messageTo(group, 'G', true);
  return {
    ...outbound,
    record: { ...outbound.record, chat: group },
    sentTo: { wire: { to: group, peerPhone: null, own: '100001@lid' }, own: [], recipients: [annsLid, '200002:1@lid'] },
  };
};

test('421 in a group: the group and the lists are in doubt, and it goes once more; a refused one took no keys', () => {
  const { reactions, doubted, keys, forgotten } = start();
  assert.equal(reactions.refused(inGroup(), new SendRefused('403')), false);
  assert.deepEqual(doubted, []);
  assert.equal(reactions.refused(inGroup(), new SendRefused('421')), true);
  assert.deepEqual([doubted, keys, forgotten], [[group], ['refused', 'refused'], [[annsLid, annsLid]]]);
});

test('a hash of other devices puts a group and the lists of its members in doubt', () => {
  const { reactions, doubted, keys, forgotten } = start();
  const right = ['100001.0:3@lid', '200002.0:0@lid', '200002.0:1@lid'];
  reactions.taken(inGroup(), { ...nothing, phash: hashOf(right), refreshLid: true });
  assert.deepEqual(doubted, []);
  reactions.taken(inGroup(), { ...nothing, phash: hashOf([...right, '300003.0:0@lid']) });
  assert.deepEqual([doubted, keys, forgotten], [[group], ['taken', 'taken'], [[annsLid, annsLid]]]);
});

test('479 goes once more where the message named a companion, which may be gone', () => {
  const { reactions, forgotten } = start();
  const outbound = sent();
  const { sentTo } = outbound;
  const toCompanion = { ...outbound, sentTo: { ...sentTo!, recipients: [annsLid, annsLid.replace('@', ':2@')] } };
  assert.equal(reactions.refused(toCompanion, new SendRefused('479')), true);
  assert.deepEqual(forgotten, [bothLists]);
});

test('479 drops the lists, 463 and 475 nothing, and none of them goes once more to phones alone', () => {
  const { reactions, forgotten, creds } = start();
  for (const code of ['463', '475', '404', '479']) {
    assert.equal(reactions.refused(sent(), new SendRefused(code)), false, code);
  }
  assert.deepEqual(forgotten, [bothLists]);
  setFacts(creds, { lidMigrated: false });
  reactions.refused(sent(true), new SendRefused('463'));
  assert.equal(factsOf(creds).lidMigrated, undefined, 'the next message tries the LID');
});

test('an acknowledgement: what it says, and an internal error that leaves the outcome open', async () => {
  const stanzas = strictStanzas();
  const ended = new Set<(error: unknown) => void>();
  const acks = new Acks({ stanzas }, ended);
  const answer = async (attrs: BinaryNode['attrs']): Promise<AckSaid> => {
    const ack = acks.wait('A', Promise.resolve());
    stanzas.dispatch({ tag: 'ack', attrs: { id: 'A', class: 'message', ...attrs } });
    return ack;
  };
  assert.deepEqual(await answer({}), nothing);
  assert.deepEqual(await answer({ phash: '2:abc', refresh_lid: 'true' }), { phash: '2:abc', refreshLid: true });
  for (const error of ['500', '503']) await assert.rejects(answer({ error }), SendOutcomeUnknown);
  await assert.rejects(answer({ error: '479', refresh_lid: 'true' }), (error) => {
    assert.ok(error instanceof SendRefused);
    assert.deepEqual([error.code, error.said.refreshLid], ['479', true]);
    return true;
  });
});

test('a message and a copy of it are acknowledged in the order in which they left', async () => {
  const stanzas = strictStanzas();
  const acks = new Acks({ stanzas }, new Set());
  const message = acks.wait('A', Promise.resolve());
  const copy = acks.wait('A', Promise.resolve());
  stanzas.dispatch({ tag: 'ack', attrs: { id: 'A', class: 'message' } });
  stanzas.dispatch({ tag: 'ack', attrs: { id: 'A', class: 'message', error: '479' } });
  assert.deepEqual(await message, nothing);
  await assert.rejects(copy, SendRefused);
});

test('copies for two devices are told apart, whichever is acknowledged first', async () => {
  const stanzas = strictStanzas();
  const acks = new Acks({ stanzas }, new Set());
  const [phone, companion, member] = ['1@lid', '1:2@lid', '3@lid'];
  const copies = [phone, companion, member].map((device) => acks.wait('A', Promise.resolve(), device));
  const attrs = { id: 'A', class: 'message' };
  stanzas.dispatch({ tag: 'ack', attrs: { ...attrs, from: companion, error: '479' } });
  stanzas.dispatch({ tag: 'ack', attrs: { ...attrs, from: 'us@g.us', participant: member } });
  // By another address of the phone.
  stanzas.dispatch({ tag: 'ack', attrs: { ...attrs, from: '4915550000001@s.whatsapp.net' } });
  assert.deepEqual(
    (await Promise.allSettled(copies)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
