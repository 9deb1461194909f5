/** Receipts that overtake the message which they speak of: a message written on the phone, read at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import { pino } from 'pino';
import { systemClock } from '../../../src/clock.ts';
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { Intake, type IntakeOptions } from '../../../src/whatsapp/receive/intake.ts';
import { eventually } from '../../support/wait.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { startIntakes } from './intake.ts';
import { ann, at, eventsIn, knowsAnn, me } from '../driver.people.ts';

const t = String(at / 1000);
const receipt = (type: string): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: 'P1', from: ann.lid, t, ...(type === '' ? {} : { type }) },
});

const startJournal = () => {
  const committed: SessionChanges[] = [];
  const options = {
    deviceId: 1,
    creds: { me: { id: me.phone, lid: me.lid } },
    store: {
      readKeys: async () => new Map(),
      commit: async (_: number, changes: SessionChanges) => void committed.push(changes),
    },
    messages: { find: async () => null },
    memory: makeDeviceMemory(),
    lidMapping: {
      peek: knowsAnn,
      find: knowsAnn,
      addressesOf: async (jid: string) => knowsAnn(jid),
      changesOf: () => [],
      recall: async () => undefined,
      pairs: { committed: () => undefined },
    },
    orders: { keep: async () => [] },
    statusesSeen: async () => ({}),
    onStoreFailure: (error: unknown) => assert.fail(String(error)),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  } as unknown as IntakeOptions;
  const intake = new Intake(options);
  const socket = { stanzas: strictStanzas(), isOpen: true };
  const acknowledged: BinaryNode[] = [];
  intake.attach(
    socket,
    () => null,
    { sendInPassing: (nodes) => void acknowledged.push(...nodes) },
    () => false,
  );
  return { intake, socket, committed, acknowledged };
};

/** The changes of a message from the account's own phone, once it is decrypted. */
const writtenOnThePhone = async (
  { intake }: ReturnType<typeof startJournal>,
  to: string,
  said: proto.IMessage = { conversation: 'hello' },
) => {
  const ciphertext = Buffer.from('ciphertext');
  const attrs = { id: 'P1', from: me.phone, recipient: to, t };
  const stanza = { tag: 'message', attrs, content: [{ tag: 'enc', attrs: {}, content: ciphertext }] };
  await intake.begin(stanza);
  const message = proto.Message.encode({
    deviceSentMessage: { destinationJid: to, message: said },
  }).finish();
  const plaintext = Buffer.concat([message, Buffer.from([1])]);
  return eventually('the stanza is known', async () => {
    const changes = await intake.readerOf(stanza)({ ciphertext, plaintext, jid: me.phone, group: null });
    return (changes.facts?.length ?? 0) > 0 && changes;
  });
};

test('driver: receipts that were faster than the message of the own phone count when it comes', async () => {
  const running = startJournal();
  const { socket, committed, acknowledged } = running;
  for (const type of ['', 'read', 'read']) socket.stanzas.dispatch(receipt(type));
  await eventually('the receipts are acknowledged', () => acknowledged.length === 3);
  const told = committed.flatMap((changes) => [...(changes.facts ?? []), ...(changes.messageChanges ?? [])]);
  assert.deepEqual(told, [], 'of a message that is not here nothing is told');
  const events = eventsIn(await writtenOnThePhone(running, ann.lid));
  assert.deepEqual(
    events.map(({ event }) => (event.type === 'message.updated' ? event.data.update : event.type)),
    ['message.sent', { status: 'delivered' }, { status: 'read' }],
  );
  assert.deepEqual(
    events.flatMap(({ step }) => (step === undefined ? [] : [[step.messageId, step.chat, step.step?.state]])),
    [
      ['P1', ann.phone, 'delivered'],
      ['P1', ann.phone, 'read'],
    ],
  );
});

const typesOf = (changes: SessionChanges) => eventsIn(changes).map(({ event }) => event.type);

const statusesOf = (events: readonly DeviceEvent[]) =>
  events.flatMap((event) => (event.type === 'message.updated' ? [[event.data.chat, event.data.update]] : []));

test('driver: receipts that were faster than the message count though the service was killed in between', async () => {
  await using rig = await startIntakes();
  const killed = rig.connect();
  for (const type of ['', 'read']) killed.socket.stanzas.dispatch(receipt(type));
  await eventually('the receipts are acknowledged', () => killed.acknowledged.length === 2);
  // It knows what is in the store, and nothing else.
  const { decrypted } = rig.connect();
  const written = { id: 'P1', from: me.lid, recipient: ann.lid, t };
  await decrypted(written, { conversation: 'hello' });
  const expected = [
    [ann.lid, { status: 'delivered' }],
    [ann.lid, { status: 'read' }],
  ];
  assert.deepEqual(statusesOf(await rig.events()), expected);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'P1'))?.state, 'read');
  await rig.connect().decrypted(written, { conversation: 'hello' });
  assert.deepEqual(statusesOf(await rig.events()), expected, 'each is told once, also when the message comes again');
});

test('driver: the receipts of strangers that wait for a message are few, and push nobody out', async () => {
  let now = at;
  await using rig = await startIntakes({ ...systemClock, now: () => now });
  const { socket, acknowledged } = rig.connect();
  const kept = async () => {
    const value = (await rig.stores.credentials.readKeys(rig.deviceId, 'early-receipts', ['all'])).get('all');
    return value === undefined ? [] : (JSON.parse(Buffer.from(value).toString()) as { messageId: string }[]);
  };
  const arrive = async (...nodes: BinaryNode[]) => {
    const before = acknowledged.length;
    for (const node of nodes) socket.stanzas.dispatch(node);
    await eventually('the receipts are acknowledged', () => acknowledged.length === before + nodes.length);
  };
  const invented = (from: string): BinaryNode => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ tag: 'item', attrs: { id: `I${n}` } }));
    return { tag: 'receipt', attrs: { id: 'I', from, t }, content: [{ tag: 'list', attrs: {}, content: items }] };
  };
  await arrive(receipt(''), invented('9666@lid'), invented('9666@lid'));
  assert.equal((await kept()).length, 17);
  assert.equal((await kept())[0]?.messageId, 'P1');
  await arrive(...Array.from({ length: 20 }, (_, n) => invented(`97${n}@lid`)));
  assert.equal((await kept()).length, 64);
  now += 4 * 86_400_000;
  await arrive(receipt('read'));
  assert.equal((await kept()).length, 1, 'and none for longer than three days');
  assert.deepEqual(await rig.events(), []);
});

test('driver: the receipts of one person say nothing of a message to another', async () => {
  const running = startJournal();
  running.socket.stanzas.dispatch(receipt('read'));
  await eventually('the receipt is acknowledged', () => running.acknowledged.length === 1);
  assert.deepEqual(typesOf(await writtenOnThePhone(running, '4933300003@s.whatsapp.net')), ['message.sent']);
});

test('driver: a reaction of the own phone is no message, and nobody hears of its receipts', async () => {
  const running = startJournal();
  const reaction = { reactionMessage: { key: { id: 'M0', remoteJid: ann.phone }, text: '👍' } };
  assert.deepEqual(typesOf(await writtenOnThePhone(running, ann.lid, reaction)), ['message.updated']);
  running.socket.stanzas.dispatch(receipt(''));
  await eventually('the receipt is acknowledged', () => running.acknowledged.length === 1);
  assert.deepEqual(typesOf(await writtenOnThePhone(running, ann.lid)), ['message.sent']);
});

test('driver: a receipt finds the message of a chat whose phone number was learned after it was sent', async () => {
  await using rig = await startIntakes();
  const { decrypted, socket, acknowledged } = rig.connect();
  await decrypted({ id: 'P1', from: me.lid, recipient: ann.lid, t }, { conversation: 'hello' });
  socket.stanzas.dispatch(receipt(''));
  await eventually('the first receipt is acknowledged', () => acknowledged.length === 1);
  for (const type of ['', 'read', 'read']) {
    const { attrs } = receipt(type);
    socket.stanzas.dispatch({ tag: 'receipt', attrs: { ...attrs, sender_pn: ann.phone } });
  }
  await eventually('the receipts are acknowledged', () => acknowledged.length === 4);
  assert.deepEqual(statusesOf(await rig.events()), [
    [ann.lid, { status: 'delivered' }],
    [ann.phone, { status: 'read' }],
  ]);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'P1'))?.state, 'read');
});
