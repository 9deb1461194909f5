/** Retry receipts: the message once more for the device that asks, with a token, and for nobody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { BinaryNode } from 'baileys';
import { factsOf } from '../../../src/whatsapp/identity/account.ts';
import { parseCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { Companion } from '../../sandbox/companion.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig, type Watched } from '../driver.support.ts';

const ann = '4915300000011';
const bob = '4915300000012';
const cyd = '4915300000013';
const text = (words: string) => ({ kind: 'text', text: words }) as const;

type Carried = Readonly<Record<'tctoken' | 'cstoken' | 'wrong' | 'none', number>>;

const carriedTo = async ({ phones }: Pick<Rig, 'phones'>, number: string): Promise<Carried> =>
  (await phones.request<{ phone: { tokens: { carried: Carried } } }>('GET', `/phones/${number}`)).phone.tokens.carried;

const saltOf = async ({ stores }: Rig, deviceId: number) => {
  const bytes = await stores.credentials.loadCredentials(deviceId);
  return bytes === null ? undefined : factsOf(parseCredentials(bytes)).nctSalt;
};

/** A stock client beside Bob's phone. */
const companionOf = async (rig: Rig, number: string): Promise<Companion> => {
  const { socketUrl, rootKey, mediaCa } = rig.sandbox;
  const companion = new Companion({ socketUrl, rootKey, mediaCa });
  await companion.link((qr) => rig.phones.scan(number, qr));
  return companion;
};

test('driver: a companion that lost its sessions gets the message once more, with a cstoken; so does a phone', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await eventually('the salt', () => saltOf(rig, deviceId));
  await using companion = await companionOf(rig, bob);
  const first = await rig.send(watched, bob, text('first'));
  await companion.received(first.record.id);
  await rig.phones.behave(bob, { requiresToken: true });
  await companion.forgetSessions();
  const second = await rig.send(watched, bob, text('second'));
  const { message } = await companion.received(second.record.id);
  assert.equal(message?.extendedTextMessage?.text ?? message?.conversation, 'second');
  assert.deepEqual(await carriedTo(rig, bob), { tctoken: 0, cstoken: 2, wrong: 0, none: 0 });

  await rig.phones.request('POST', `/phones/${bob}/lose-sessions`);
  await rig.send(watched, bob, text('third'));
  await eventually('the third text', async () =>
    (await rig.phones.messages(bob)).some((each) => each.text === 'third'),
  );
  assert.deepEqual(await carriedTo(rig, bob), { tctoken: 0, cstoken: 4, wrong: 0, none: 0 });
  const { retriesAsked } = await rig.phones.stats();
  assert.equal(retriesAsked, 1);
});

test('driver: a token of theirs goes along instead, and the own phone gets its copy once more', async () => {
  await using rig = await startRig();
  const { lid } = await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.send(watched, bob, text('first'));
  await rig.phones.request('PUT', `/phones/${bob}/tokens/${ann}`);
  await eventually('the token', async () => {
    return (await rig.stores.credentials.readKeys(deviceId, 'tctoken', [lid])).size === 1;
  });
  await rig.phones.behave(bob, { requiresToken: true });
  for (const number of [ann, bob]) await rig.phones.request('POST', `/phones/${number}/lose-sessions`);
  const { record } = await rig.send(watched, bob, text('second'));
  for (const number of [ann, bob]) {
    const shown = await eventually(`the text at ${number}`, async () =>
      (await rig.phones.messages(number)).find(({ id }) => id === record.id),
    );
    assert.equal(shown.text, 'second');
  }
  assert.deepEqual(await carriedTo(rig, bob), { tctoken: 2, cstoken: 0, wrong: 0, none: 0 });
  assert.equal((await rig.phones.stats())['destinationMismatches'], 0);
});

const shownTo = (rig: Rig, number: string, id: string) =>
  eventually('the text', async () => (await rig.phones.messages(number)).find((each) => each.id === id));

/** A message that Bob's phone will ask for, as it comes online. */
const unreadable = async (rig: Rig, watched: Watched, words: string, to: string = bob): Promise<string> => {
  const first = await rig.send(watched, to, text('first'));
  await shownTo(rig, bob, first.record.id);
  await rig.phones.request('PATCH', `/phones/${bob}`, { online: false });
  const { record } = await rig.send(watched, to, text(words));
  await rig.phones.request('POST', `/phones/${bob}/lose-sessions`);
  return record.id;
};

const askForIt = async ({ phones }: Rig, faults: object): Promise<void> => {
  await phones.request('PUT', '/faults', faults);
  const { messagesIn } = await phones.stats();
  await phones.request('PATCH', `/phones/${bob}`, { online: true });
  await eventually('the answer', async () => Number((await phones.stats())['messagesIn']) > Number(messagesIn));
};

const waitingFor = async ({ phones }: Rig): Promise<unknown> => (await phones.stats())['pending'];

test('driver: what the network refuses for a moment is sent once more, on the same connection', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  const id = await unreadable(rig, watched, 'refused for a moment');
  await askForIt(rig, { rejectSends: 479 });
  await rig.phones.request('DELETE', '/faults');
  assert.equal((await shownTo(rig, bob, id)).text, 'refused for a moment');
  assert.equal((await rig.phones.stats())['retriesAsked'], 1);
  await eventually('the receipt is acknowledged', async () => isDeepStrictEqual(await waitingFor(rig), {}));
});

test('driver: what the connection ends on is sent once more after the next login; what is refused for good is not', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const id = await unreadable(rig, watched, 'with the connection');
  await askForIt(rig, { rejectSends: 500 });
  await watched.session.close();
  await rig.phones.request('DELETE', '/faults');
  const again = rig.connect(deviceId);
  await again.opened();
  assert.equal((await shownTo(rig, bob, id)).text, 'with the connection');
  await eventually('the receipt is acknowledged', async () => isDeepStrictEqual(await waitingFor(rig), {}));

  await unreadable(rig, again, 'refused for good');
  await askForIt(rig, { rejectSends: 403 });
  await eventually('the receipt is acknowledged', async () => isDeepStrictEqual(await waitingFor(rig), {}));
});

test('driver: a message that is gone renews the session, so that the next one can be read; in groups, too', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const made = { subject: 'Us', owner: bob, participants: [ann] };
  const { jid: group } = await rig.phones.request<{ jid: string }>('POST', '/groups', made);
  const shows = (words: string) =>
    eventually(words, async () => (await rig.phones.messages(bob)).some((each) => each.text === words));
  for (const to of [bob, group]) {
    await rig.send(watched, to, text(`first to ${to}`));
    await shows(`first to ${to}`);
    await rig.phones.request('PATCH', `/phones/${bob}`, { online: false });
    const { record } = await rig.send(watched, to, text('gone'));
    await rig.phones.request('POST', `/phones/${bob}/lose-sessions`);
    const gone = { messageId: record.id, chat: record.chat, deletedAt: Date.now() };
    await rig.stores.changes.commit(deviceId, { messageChanges: [gone] });
    await rig.phones.request('PATCH', `/phones/${bob}`, { online: true });
    await eventually('the receipt is acknowledged', async () => isDeepStrictEqual(await waitingFor(rig), {}));
    const { retriesAsked } = await rig.phones.stats();
    await rig.send(watched, to, text(`next to ${to}`));
    await shows(`next to ${to}`);
    assert.equal((await rig.phones.stats())['retriesAsked'], retriesAsked);
  }
  assert.ok((await rig.phones.messages(bob)).every((each) => each.text !== 'gone'));
});

test('driver: in a group so many messages are sent again in a minute; the others wait for their time, and all are shown', async () => {
  const now = Date.now();
  const waits: number[] = [];
  const after: Clock['after'] = (ms, run) => {
    waits.push(ms);
    return systemClock.after(ms / 100, run);
  };
  await using rig = await startRig({ now: () => now, after });
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  const made = { subject: 'Us', owner: bob, participants: [ann] };
  const { jid } = await rig.phones.request<{ jid: string }>('POST', '/groups', made);
  await shownTo(rig, bob, (await rig.send(watched, jid, text('first'))).record.id);
  await rig.phones.behave(bob, { online: false });
  const ids: string[] = [];
  for (let n = 0; n < 23; n += 1) ids.push((await rig.send(watched, jid, text(String(n)))).record.id);
  await rig.phones.request('POST', `/phones/${bob}/lose-sessions`);
  await rig.phones.behave(bob, { online: true });
  for (const id of ids) await shownTo(rig, bob, id);
  assert.deepEqual(
    waits.filter((ms) => [6_000, 12_000, 18_000, 24_000].includes(ms)),
    [6_000, 12_000, 18_000],
  );
  await eventually('the receipts are acknowledged', async () => isDeepStrictEqual(await waitingFor(rig), {}));
});

test('driver: a phone that has a message of a group takes the sender key of its repeat, and asks for nothing', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const made = { subject: 'Us', owner: bob, participants: [ann] };
  const { jid } = await rig.phones.request<{ jid: string }>('POST', '/groups', made);
  // No receipt proves that the first one has arrived.
  await rig.phones.behave(bob, { deliverReceipts: false });
  await rig.phones.behave(ann, { online: false });
  await rig.phones.faults({ withholdAcks: true });
  const id = rig.network.newMessageId();
  const unanswered = assert.rejects(rig.send(watched, jid, text('first'), id));
  await shownTo(rig, bob, id);
  await watched.session.close();
  await unanswered;
  await rig.phones.request('DELETE', '/faults');
  const again = rig.connect(deviceId);
  await again.opened();
  await rig.send(again, jid, text('first'), id);
  await shownTo(rig, bob, (await rig.send(again, jid, text('second'))).record.id);
  const { duplicates, retriesAsked } = await rig.phones.stats();
  assert.deepEqual([duplicates, retriesAsked], [1, 0]);
});

test('driver: a member whose coming is not known yet gets the message again', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const made = { subject: 'Us', owner: bob, participants: [ann] };
  const { jid } = await rig.phones.request<{ jid: string }>('POST', '/groups', made);
  const id = await unreadable(rig, watched, 'to the group', jid);
  await eventually('nothing waits for the device', async () => {
    return Object.keys((await waitingFor(rig)) as object).every((each) => !each.startsWith(`${ann}:`));
  });
  await watched.session.close();
  const known = (await rig.stores.groups.find(deviceId, jid))!;
  const members = known.members.filter(({ person }) => person.number === ann);
  await rig.stores.changes.commit(deviceId, { groups: [{ ...known, members }] });
  await rig.connect(deviceId).opened();
  await rig.phones.behave(bob, { online: true });
  assert.equal((await shownTo(rig, bob, id)).text, 'to the group');
});

test('driver: who asks for a message of another chat gets nothing, and nobody gets one more than five times', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  await rig.phones.add(cyd, 'Cyd');
  const { watched } = await rig.linked(ann, 'Ann');
  await using companion = await companionOf(rig, bob);
  const stanzas: BinaryNode[] = [];
  companion.socket.ws.on('CB:message', (node: BinaryNode) => stanzas.push(node));
  const secret = await rig.send(watched, cyd, text('for Cyd alone'));
  const [one, two] = [await rig.send(watched, bob, text('one')), await rig.send(watched, bob, text('two'))];
  await companion.received(two.record.id);
  const from = stanzas.find(({ attrs }) => attrs.id === one.record.id)!.attrs.from!;
  const ask = (id: string, count: number) =>
    companion.socket.sendNode({
      tag: 'receipt',
      attrs: { id, type: 'retry', to: from },
      content: [{ tag: 'retry', attrs: { count: String(count), id, t: '0', v: '1', error: '0' } }],
    });
  const timesOf = (id: string) => stanzas.filter(({ attrs }) => attrs.id === id).length;
  await ask(secret.record.id, 1);
  for (let time = 1; time <= 7; time += 1) await ask(one.record.id, time);
  await ask(two.record.id, 1);
  // They are answered in their order.
  await eventually('the last answer', () => timesOf(two.record.id) === 2);
  assert.deepEqual([timesOf(secret.record.id), timesOf(one.record.id)], [0, 6]);
});

test('a stock client sends again without a token, which a phone of today refuses', async () => {
  const sandbox = await startSandbox({ port: 0, addressing: 'strict' });
  const phones = phonesOf(sandbox.controlUrl);
  const sent = new Map<string, string>();
  await using sender = new Companion(sandbox, {
    getMessage: async ({ id }) => ({ conversation: sent.get(id ?? '') ?? '' }),
  });
  await using receiver = new Companion(sandbox);
  try {
    await phones.add(ann, 'Ann');
    const { lid } = await phones.add(bob, 'Bob');
    await sender.link((qr) => phones.scan(ann, qr));
    await receiver.link((qr) => phones.scan(bob, qr));
    const refused: BinaryNode[] = [];
    sender.socket.ws.on('CB:ack', (node: BinaryNode) => {
      if (node.attrs.error !== undefined) refused.push(node);
    });
    const first = await sender.socket.sendMessage(lid, { text: 'first' });
    await receiver.received(first!.key.id!);
    await phones.behave(bob, { requiresToken: true });
    await receiver.forgetSessions();
    const second = await sender.socket.sendMessage(lid, { text: 'second' });
    sent.set(second!.key.id!, 'second');
    const ack = await eventually('the refusal', () => refused.find(({ attrs }) => attrs.id === second!.key.id));
    assert.equal(ack.attrs.error, '463');
  } finally {
    await sandbox.close();
  }
});
