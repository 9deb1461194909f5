/** The driver when the network, the phone or the store fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandsetError, mayHaveBeenSent } from '../../../src/errors.ts';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const ann = '4915300000001';
const bob = '4915300000002';
const text = (words: string) => ({ kind: 'text', text: words }) as const;

test('driver: what came while it was away is delivered once', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.phones.write(bob, { to: ann, text: 'before' });
  await rig.event(deviceId, 'message.received');
  await watched.session.close();
  const ids = await rig.phones.write(bob, { to: ann, text: 'away', count: 20 });
  await rig.connect(deviceId).opened();
  const received = await eventually('all messages', async () => {
    const events = await rig.events(deviceId);
    const found = events.flatMap(({ event }) => (event.type === 'message.received' ? [event.data.message.id] : []));
    return found.length >= 21 ? found : null;
  });
  assert.deepEqual(received.slice(1), ids, 'in order, each once');
});

test('driver: connections cut in the middle of traffic lose and double nothing', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  let session = watched;
  const ids: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const writing = rig.phones.write(bob, { to: ann, text: `round ${round}`, count: 25 });
    await rig.phones.request('POST', '/drop', { number: ann });
    ids.push(...(await writing));
    await session.closed();
    session = rig.connect(deviceId);
    await session.opened();
  }
  const received = await eventually('all messages', async () => {
    const events = await rig.events(deviceId);
    const found = events.flatMap(({ event }) => (event.type === 'message.received' ? [event.data.message.id] : []));
    return found.length >= ids.length ? found : null;
  });
  assert.deepEqual([...received].sort(), [...ids].sort());
});

test('driver: a message that the network refuses has failed', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.phones.request('PUT', '/faults', { restrict: true });
  const id = rig.network.newMessageId();
  await assert.rejects(rig.send(watched, bob, text('no'), id), (error) => {
    assert.ok(error instanceof HandsetError);
    assert.deepEqual([error.name, mayHaveBeenSent(error)], ['SendFailed', false]);
    assert.match(error.message, /^Failed to send message: the account may not begin new chats until 20/);
    assert.ok(error.cause instanceof Error && /error 463/.test(error.cause.message));
    return true;
  });
  assert.equal((await rig.stores.messages.find(deviceId, id))?.state, 'failed');
  assert.equal((await rig.stores.devices.find(deviceId))?.messagesSent, 0);
});

for (const deliverReceipts of [false, true]) {
  test(`driver: a send that the network never answers is sent once, receipts ${deliverReceipts ? 'on' : 'off'}`, async () => {
    await using rig = await startRig();
    await rig.phones.add(bob, 'Bob');
    const { deviceId, watched } = await rig.linked(ann, 'Ann');
    await rig.phones.request('PATCH', `/phones/${bob}`, { deliverReceipts });
    await rig.phones.request('PUT', '/faults', { withholdAcks: true });
    const id = rig.network.newMessageId();
    const sending = rig.send(watched, bob, text('once'), id);
    sending.catch(() => {});
    await eventually('the text on the phone', async () => (await rig.phones.messages(bob)).length > 0);
    await rig.phones.request('POST', '/drop', { number: ann });
    await assert.rejects(sending, (error) => mayHaveBeenSent(error));
    const state = deliverReceipts ? 'delivered' : 'pending';
    await eventually(state, async () => (await rig.stores.messages.find(deviceId, id))?.state === state);
    await rig.phones.request('DELETE', '/faults');

    const again = rig.connect(deviceId);
    await again.opened();
    const { record } = await rig.send(again, bob, text('once'), id);
    assert.deepEqual([record.id, record.acceptedAt !== null], [id, true]);
    assert.equal((await rig.phones.messages(bob)).filter((message) => message.text === 'once').length, 1);
    // And once more: it is answered from the store.
    assert.equal((await rig.send(again, bob, text('once'), id)).record.id, id);
    assert.equal((await rig.stores.devices.find(deviceId))?.messagesSent, 1);
    assert.equal((await rig.events(deviceId)).filter(({ event }) => event.type === 'message.sent').length, 1);
  });
}

test('driver: a phone that lost its keys asks again and gets the message from the store', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.send(watched, bob, text('first'));
  await eventually('the first text', async () => (await rig.phones.messages(bob)).some((m) => m.text === 'first'));
  await watched.session.close();
  await rig.phones.request('POST', `/phones/${bob}/reinstall`);
  const again = rig.connect(deviceId);
  await again.opened();
  await rig.send(again, bob, text('second'));
  await eventually('the second text', async () => (await rig.phones.messages(bob)).some((m) => m.text === 'second'));
  await rig.phones.write(bob, { to: ann, text: 'I am new' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.equal(message.text, 'I am new');
});

test('driver: what was deleted meanwhile is not sent again to a phone that asks for it', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.send(watched, bob, text('first'));
  await eventually('the first text', async () => (await rig.phones.messages(bob)).some((m) => m.text === 'first'));
  await watched.session.close();
  await rig.phones.request('POST', `/phones/${bob}/reinstall`);
  await rig.phones.behave(bob, { online: false });
  const again = rig.connect(deviceId);
  await again.opened();
  const { record } = await rig.send(again, bob, text('deleted'));
  await rig.send(again, bob, text('kept'));
  await eventually('the copy on the phone', async () =>
    (await rig.phones.messages(ann)).some(({ id }) => id === record.id),
  );
  await rig.phones.request('POST', `/phones/${ann}/messages/${record.id}/revoke`);
  await rig.event(deviceId, 'message.deleted', ({ data }) => data.messageId === record.id);
  await rig.phones.behave(bob, { online: true });
  // It asks for both, in this order.
  await eventually('the kept text', async () => (await rig.phones.messages(bob)).some((m) => m.text === 'kept'));
  await rig.send(again, bob, text('last'));
  const texts = await eventually('the last text', async () => {
    const found = (await rig.phones.messages(bob)).map((message) => message.text);
    return found.includes('last') && found;
  });
  assert.equal(texts.includes('deleted'), false);
});

test('driver: groups, both ways', async () => {
  await using rig = await startRig();
  const bobsPhone = await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const { jid } = await rig.phones.request<{ jid: string }>('POST', '/groups', {
    subject: 'Friends',
    owner: ann,
    participants: [bob],
  });
  const { record } = await rig.send(watched, jid, text('hello all'));
  const received = await eventually('the text on the phone', async () =>
    (await rig.phones.messages(bob)).find((message) => message.text === 'hello all'),
  );
  assert.deepEqual([received.id, received.chat], [record.id, jid]);
  await rig.phones.write(bob, { to: jid, text: 'hello back' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.deepEqual(
    [message.text, message.chat, message.isGroup, message.from, message.fromLid, message.chatLid],
    ['hello back', jid, true, bobsPhone.jid, bobsPhone.lid, null],
  );
  const delivered = await rig.event(deviceId, 'message.updated');
  assert.deepEqual([delivered.data.messageId, delivered.data.chat], [record.id, jid]);
});

test('driver: when the store fails nothing is acknowledged, and it comes again', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const { credentials } = rig;
  const commit = credentials.commit.bind(credentials);
  let broken = true;
  Object.assign(credentials, {
    commit: (...given: Parameters<typeof commit>) =>
      broken && given[1].messages !== undefined ? Promise.reject(new Error('disk full')) : commit(...given),
  });
  await rig.phones.write(bob, { to: ann, text: 'keep me' });
  assert.deepEqual(await watched.closed(), { kind: 'lost', detail: 'the store failed' });
  assert.equal(
    (await rig.events(deviceId)).some(({ event }) => event.type === 'message.received'),
    false,
  );
  broken = false;
  await rig.connect(deviceId).opened();
  assert.equal((await rig.event(deviceId, 'message.received')).data.message.text, 'keep me');
});

test('driver: nothing is written once a session is closed', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  const { credentials } = rig;
  const commit = credentials.commit.bind(credentials);
  let commits = 0;
  Object.assign(credentials, {
    commit: (...given: Parameters<typeof commit>) => {
      commits += 1;
      return commit(...given);
    },
  });
  await rig.send(watched, bob, text('in time'));
  assert.ok(commits > 0);
  const sending = Array.from({ length: 5 }, (_, index) => rig.send(watched, bob, text(`no ${index}`)));
  await Promise.all([watched.session.close(), Promise.allSettled(sending)]);
  const after = commits;
  await rig.phones.write(bob, { to: ann, text: 'late' });
  await eventually('the message to wait', async () => (await rig.phones.messages(bob)).some((m) => m.text === 'late'));
  assert.equal(commits, after);
  await assert.rejects(rig.send(watched, bob, text('too late')), { name: 'DeviceNotConnected' });
  await assert.rejects(watched.session.lookUp(bob), { name: 'DeviceNotConnected' });
});

test('driver: a connection that is half open, or not open yet, is closed soon', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked(ann, 'Ann');
  await rig.phones.request('PUT', '/faults', { halfOpen: true });
  const begun = performance.now();
  await watched.session.close();
  const unanswered = rig.connect(await rig.device());
  await unanswered.session.close();
  assert.deepEqual([watched.reason(), unanswered.reason()], [{ kind: 'requested' }, { kind: 'requested' }]);
  assert.deepEqual(unanswered.calls, ['closed']);
  assert.ok(performance.now() - begun < 20_000);
});

test('driver: a logout that is cut off says whether the phone still lists the device', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  const leaving = watched.session.logout();
  leaving.catch(() => {});
  await rig.phones.request('POST', '/drop', { number: ann });
  const outcome = await leaving.then(
    () => 'logged out',
    (error: unknown) => (error instanceof HandsetError ? error.name : 'another error'),
  );
  const { linkedDevices } = await rig.phones.get(ann);
  assert.equal(outcome, linkedDevices.length === 0 ? 'logged out' : 'DisconnectFailed');
});

test('driver: a session that is cut is off the network without a handshake', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked(ann, 'Ann');
  await rig.phones.request('PUT', '/faults', { halfOpen: true });
  watched.session.cut();
  // What is half open ends with its socket only.
  await eventually('its end at the network', async () => (await rig.phones.stats())['connections'] === 0);
  await watched.session.close();
  assert.deepEqual(watched.reason(), { kind: 'requested' });
});

test('driver: a message that the network has taken, which cannot be written, may have been sent', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const { credentials } = rig;
  const commit = credentials.commit.bind(credentials);
  let away = true;
  Object.assign(credentials, {
    commit: (...given: Parameters<typeof commit>) =>
      away && given[1].sent !== undefined ? Promise.reject(new Error('the database is away')) : commit(...given),
  });
  const id = rig.network.newMessageId();
  await assert.rejects(rig.send(watched, bob, text('taken'), id), mayHaveBeenSent);
  await watched.closed();
  away = false;
  const again = rig.connect(deviceId);
  await again.opened();
  const { record } = await rig.send(again, bob, text('taken'), id);
  assert.notEqual(record.acceptedAt, null);
  assert.equal((await rig.phones.messages(bob)).filter((message) => message.text === 'taken').length, 1);
});
