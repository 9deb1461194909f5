/** The driver and statuses: posted by LID, read where that is wanted, seen, liked, deleted and asked for again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { defaultSettings } from '../../../src/domain/device.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import type { StatusPost } from '../../../src/domain/messages/statuses.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../../sandbox/companion.ts';
import { type Rig, startRig } from '../driver.support.ts';

const ann = '4915200000031';
const bob = '4915200000032';
const cyd = '4915200000033';

interface PhoneStatus {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly text: string | null;
  readonly background: string | null;
  readonly font: number | null;
  readonly revoked: boolean;
  readonly likes: readonly { readonly from: string; readonly emoji: string }[];
  readonly viewers: readonly { readonly from: string; readonly state: string }[];
}

const statusesOn = async ({ phones }: Rig, number: string): Promise<readonly PhoneStatus[]> =>
  (await phones.request<{ statuses: PhoneStatus[] }>('GET', `/phones/${number}/status`)).statuses;

const onPhone = (rig: Rig, number: string, id: string, holds: (status: PhoneStatus) => boolean = () => true) =>
  eventually(`status ${id} on ${number}`, async () =>
    (await statusesOn(rig, number)).find((status) => status.id === id && holds(status)),
  );

const jid = (number: string): string => `${number}@s.whatsapp.net`;

const started = async () => {
  const rig = await startRig();
  for (const [number, name] of [
    [bob, 'Bob'],
    [cyd, 'Cyd'],
  ] as const)
    await rig.phones.add(number, name);
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const { statuses } = watched.session;
  const text = (given: Partial<StatusPost> & { readonly text?: string } = {}): StatusPost => ({
    id: rig.network.newMessageId(),
    content: { kind: 'text', text: given.text ?? 'open until ten', background: '#1f7aec', font: 3 },
    privacy: 'contacts',
    audience: [jid(bob), jid(cyd)],
    ...given,
  });
  const receive = (): void => watched.session.applySettings({ ...defaultSettings, statuses: 'received' });
  const told = async (type: DeviceEvent['type']) =>
    (await rig.events(deviceId)).flatMap(({ event }) => (event.type === type ? [event.data] : []));
  return { rig, deviceId, watched, statuses, text, receive, told };
};

test('a text reaches the audience and the own phone, with colour and font; another key when somebody leaves', async () => {
  const { rig, deviceId, statuses, text } = await started();
  await using _ = rig;
  const first = text();
  assert.equal(await statuses.post(first), 2);
  const shown = await onPhone(rig, bob, first.id);
  assert.deepEqual(
    [shown.text, shown.background, shown.font, shown.from, shown.fromMe],
    ['open until ten', '#1f7aec', 3, jid(ann), false],
  );
  await onPhone(rig, cyd, first.id);
  assert.equal((await onPhone(rig, ann, first.id)).fromMe, true);
  const kept = await rig.stores.statuses.find(deviceId, first.id);
  assert.deepEqual([kept?.recipients, kept?.message.text, kept?.acceptedAt === null], [2, 'open until ten', false]);
  assert.equal((await rig.stores.statuses.audience(deviceId, first.id))?.length, 2);
  // With the key that they hold, and then with another one.
  const second = text({ text: 'still open' });
  await statuses.post(second);
  await onPhone(rig, cyd, second.id);
  const third = text({ text: 'for Bob', audience: [jid(bob)], privacy: 'only' });
  assert.equal(await statuses.post(third), 1);
  await onPhone(rig, bob, third.id);
  assert.ok(!(await statusesOn(rig, cyd)).some(({ id }) => id === third.id));
  assert.equal((await rig.phones.stats())['decryptFailures'] ?? 0, 0);
});

test('it is deleted for the same audience, and nobody else deletes it', async () => {
  const { rig, deviceId, statuses, text } = await started();
  await using _ = rig;
  const post = text();
  await statuses.post(post);
  await onPhone(rig, bob, post.id);
  await statuses.remove(post.id, (await rig.stores.statuses.audience(deviceId, post.id))!);
  for (const number of [bob, cyd, ann]) await onPhone(rig, number, post.id, ({ revoked }) => revoked);
  assert.notEqual((await rig.stores.statuses.find(deviceId, post.id))?.deletedAt, null);
});

test('nobody is a refusal, and nothing is kept of what the network refuses', async () => {
  const { rig, deviceId, statuses, text } = await started();
  await using _ = rig;
  await assert.rejects(statuses.post(text({ audience: [] })), /seen by nobody/);
  await assert.rejects(statuses.post(text({ audience: [jid(ann)] })), /seen by nobody/);
  await rig.phones.faults({ rejectSends: 479 });
  const refused = text();
  await assert.rejects(statuses.post(refused), /Failed to send the status: .*\(error 479\)/);
  assert.equal(await rig.stores.statuses.find(deviceId, refused.id), null);
});

test('who got it, saw it and liked it is known, and told once', async () => {
  const { rig, deviceId, statuses, text, receive, told } = await started();
  await using _ = rig;
  receive();
  const post = text();
  await statuses.post(post);
  await onPhone(rig, bob, post.id);
  for (let twice = 0; twice < 2; twice += 1)
    await rig.phones.request('POST', `/phones/${bob}/status/${post.id}/view`, {});
  await rig.phones.request('POST', `/phones/${cyd}/status/${post.id}/reaction`, { emoji: '💚' });
  const viewers = await eventually('all have reacted', async () => {
    const { items } = await rig.stores.statuses.viewers(deviceId, post.id, { limit: 10, cursor: null });
    const [bobs, cyds] = [bob, cyd].map((number) => items.find(({ person }) => person.number === number));
    return bobs?.viewedAt && cyds?.reaction ? { bobs, cyds } : null;
  });
  assert.notEqual(viewers.bobs.deliveredAt, null);
  assert.equal(viewers.cyds.reaction, '💚');
  const events = await eventually('both events', async () => {
    const all = await told('status.viewed');
    return all.length >= 2 && all;
  });
  assert.equal(events.length, 2);
});

for (const statusAs of ['status', 'message'] as const) {
  test(`statuses of contacts that come as <${statusAs}> are read once they are wanted, and never before`, async () => {
    const { rig, deviceId, watched, receive, told } = await started();
    await using _ = rig;
    await rig.phones.faults({ statusAs });
    const post = async (body: object): Promise<string> =>
      (await rig.phones.request<{ messageId: string }>('POST', `/phones/${bob}/status`, body)).messageId;
    const unread = await post({ text: 'before' });
    await rig.phones.write(bob, { to: ann, text: 'to you' });
    await rig.event(deviceId, 'message.received');
    assert.equal(await rig.stores.statuses.find(deviceId, unread), null);
    receive();
    // Its sender key came with the one that was dropped: the phone is asked for it.
    const id = await post({ text: 'on the beach', background: '#00aa11', font: 2 });
    const data = await eventually('it is told', async () => (await told('status.received'))[0]);
    assert.ok('status' in data && typeof data.status === 'object');
    const { timestamp: _at, ...status } = data.status;
    const { lid } = await rig.phones.get(bob);
    assert.deepEqual(status, {
      id,
      from: jid(bob),
      fromNumber: bob,
      fromLid: lid,
      fromUsername: null,
      pushName: 'Bob',
      type: 'text',
      text: 'on the beach',
      media: null,
      background: '#00aa11',
      font: 2,
    });
    await rig.phones.request('DELETE', `/phones/${bob}/status/${id}`);
    await eventually('its end is told', async () => (await told('status.deleted'))[0]);
    assert.notEqual((await rig.stores.statuses.find(deviceId, id))?.deletedAt, null);
    const pending: unknown = (await rig.phones.stats())['pending'];
    await eventually('everything is acknowledged', async () =>
      Object.values((await rig.phones.stats())['pending'] as Record<string, number>).every((count) => count === 0),
    );
    assert.ok(pending !== undefined);
    assert.equal(watched.reason(), null);
    assert.deepEqual((await told('message.received')).length, 1);
  });
}

test('its author learns of a view and a like when they are asked for, and not before', async () => {
  const { rig, deviceId, statuses, receive } = await started();
  await using _ = rig;
  receive();
  const { messageId: id } = await rig.phones.request<{ messageId: string }>('POST', `/phones/${bob}/status`, {
    text: 'on the beach',
  });
  const status = await eventually('it has come', () => rig.stores.statuses.find(deviceId, id));
  const ofAnn = ({ viewers }: PhoneStatus) => viewers.find(({ from }) => from === jid(ann))?.state;
  await onPhone(rig, bob, id, (post) => ofAnn(post) === 'delivered');
  await setImmediate();
  assert.equal(ofAnn((await statusesOn(rig, bob)).find((post) => post.id === id)!), 'delivered');
  await statuses.view(status);
  await onPhone(rig, bob, id, (post) => ofAnn(post) === 'read');
  await statuses.react(status, '💚');
  await onPhone(rig, bob, id, ({ likes }) => likes.some(({ from, emoji }) => from === jid(ann) && emoji === '💚'));
  await statuses.react(status, null);
  await onPhone(rig, bob, id, ({ likes }) => likes.length === 0);
});

test('a phone that has lost its sessions asks for the status again, and gets it', async () => {
  const { rig, statuses, text } = await started();
  await using _ = rig;
  const first = text();
  await statuses.post(first);
  await onPhone(rig, bob, first.id);
  await rig.phones.request('POST', `/phones/${bob}/lose-sessions`, {});
  const second = text({ text: 'again' });
  await statuses.post(second);
  assert.equal((await onPhone(rig, bob, second.id)).text, 'again');
});

test('who sees the statuses is as the owner has chosen: on the phone, on the server, or the contacts', async () => {
  const { rig, statuses } = await started();
  await using _ = rig;
  assert.deepEqual(await statuses.privacy(), { kind: 'contacts' });
  const { lid } = await rig.phones.get(bob);
  const choose = (body: object) => rig.phones.request('PUT', `/phones/${ann}/status-privacy`, body);
  await choose({ type: 'blacklist', people: [bob], by: 'server' });
  assert.deepEqual(await statuses.privacy(), { kind: 'except', people: [lid] });
  await choose({ type: 'whitelist', people: [bob] });
  await eventually('the application state says it', async () => (await statuses.privacy()).kind === 'only');
  await choose({ type: 'contacts' });
  await eventually('and then something else', async () => (await statuses.privacy()).kind === 'contacts');
});

test('a stock client of Baileys reads a status that names its author by LID', async () => {
  const { rig, statuses, text } = await started();
  await using _ = rig;
  await rig.phones.faults({ statusAs: 'message' });
  await using client = new Companion(rig.sandbox);
  await client.link((qr) => rig.phones.scan(bob, qr));
  const post = text();
  await statuses.post(post);
  const { message, key } = await client.received(post.id);
  assert.equal(message?.extendedTextMessage?.text, 'open until ten');
  const { lid } = await rig.phones.get(ann);
  assert.deepEqual([key.remoteJid, key.participant?.replace(/:\d+@/, '@')], ['status@broadcast', lid]);
});
