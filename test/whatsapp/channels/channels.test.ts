/** The driver and channels: posts that a stock client sees, counters, a flood of posts beside chats, and numbers of queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import sharp from 'sharp';
import { defaultSettings } from '../../../src/domain/device.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { bundledQueryIds, queryIdsWith } from '../../../src/whatsapp/socket/query.ts';
import { Companion } from '../../sandbox/companion.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';

const ann = '4915200000041';
const bob = '4915200000042';
const cyd = '4915200000043';

const channelOf = async ({ phones }: Rig, owner: string): Promise<string> =>
  (await phones.request<{ channel: { jid: string } }>('POST', '/channels', { owner, name: 'News' })).channel.jid;

const pixel = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: '#aa5500' } })
    .jpeg()
    .toBuffer();

const followers = async ({ phones }: Rig, jid: string): Promise<readonly string[]> =>
  (await phones.request<{ channel: { followers: string[] } }>('GET', `/channels/${jid}`)).channel.followers;

interface Told {
  readonly channel: string;
  readonly serverId?: number;
  readonly message?: { readonly serverId: number; readonly text: string | null };
}

const told = async (rig: Rig, deviceId: number, type: DeviceEvent['type']) =>
  (await rig.events(deviceId)).flatMap(({ event }) => (event.type === type ? [event.data as Told] : []));

test('a stock client follows a channel of the account, and sees its posts, edits and deletions', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked(ann, 'Ann');
  const { channels } = watched.session;
  await rig.phones.add(bob, 'Bob');
  await using client = new Companion(rig.sandbox);
  await client.link((qr) => rig.phones.scan(bob, qr));
  const { jid } = await channels.create({ name: 'News', description: null, acceptTerms: true });
  await client.socket.newsletterFollow(jid);
  assert.deepEqual(await followers(rig, jid), [bob]);
  const id = rig.network.newMessageId();
  const { serverId, state } = await channels.post({ id, jid, content: { kind: 'text', text: 'fresh bread' } });
  assert.equal(state, 'accepted');
  const seen = await eventually('the post on the stock client', () =>
    client.messages.find(({ key }) => key.remoteJid === jid),
  );
  assert.deepEqual([seen.key.id, seen.message?.extendedTextMessage?.text], [id, 'fresh bread']);
  await channels.edit(jid, serverId!, 'stale bread');
  await eventually('the edit', () =>
    client.messages.find(({ message }) => message?.extendedTextMessage?.text === 'stale bread'),
  );
  await channels.removePost(jid, serverId!);
  await assert.rejects(channels.edit(jid, serverId!, 'x'), { name: 'NotFound' });
  await client.socket.newsletterUnfollow(jid);
  assert.deepEqual(await followers(rig, jid), []);
});

test('a stock client sees a picture of the account, and its own is refused, as it takes the path of messages', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked(ann, 'Ann');
  const { channels } = watched.session;
  await rig.phones.add(bob, 'Bob');
  await using client = new Companion(rig.sandbox);
  await client.link((qr) => rig.phones.scan(bob, qr));
  const { jid } = await channels.create({ name: 'News', description: null, acceptTerms: true });
  await client.socket.newsletterFollow(jid);
  const bytes = await pixel();
  const file = await rig.network.encipher(bytes, 'image');
  const content = await rig.network.prepareFile(file, { kind: 'image' }, 'a loaf', { userId: 1 });
  if (content.kind !== 'image') assert.fail(content.kind);
  const id = rig.network.newMessageId();
  assert.equal((await channels.post({ id, jid, content })).state, 'accepted');
  const seen = await eventually('the picture on the stock client', () =>
    client.messages.find(({ key }) => key.id === id),
  );
  const { caption, directPath, mediaKey, fileSha256 } = seen.message?.imageMessage ?? {};
  assert.equal(caption, 'a loaf');
  assert.match(directPath ?? '', /^\/m1\//);
  assert.deepEqual(Buffer.from(fileSha256!), Buffer.from(content.image.file.sha256));
  assert.ok(!mediaKey?.length, 'nothing is encrypted');

  const own = await channelOf(rig, bob);
  const acks: BinaryNode['attrs'][] = [];
  client.socket.ws.on('CB:ack', ({ attrs }: BinaryNode) => acks.push(attrs));
  const sent = await client.socket.sendMessage(own, { image: bytes });
  const ack = await eventually('the ack', () => acks.find((attrs) => attrs['id'] === sent?.key.id));
  assert.equal(ack['error'], '479');
  const { channel } = await rig.phones.request<{ channel: { posts: object[] } }>('GET', `/channels/${own}`);
  assert.deepEqual(channel.posts, []);
});

test('counters are told to who asked the network for them, and a post that comes again is told once', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  watched.session.applySettings({ ...defaultSettings, channels: 'followed' });
  await rig.phones.add(bob, 'Bob');
  const jid = await channelOf(rig, bob);
  await watched.session.channels.follow(jid);
  await rig.phones.request('POST', `/channels/${jid}/posts`, { text: 'hello' });
  const [first] = await eventually('the post', async () => {
    const events = await told(rig, deviceId, 'channel.message');
    return events.length > 0 && events;
  });
  const message = first!.message!;
  const [device] = [...rig.sandbox.hub.state.sessions.keys()].filter(
    ({ id, account }) => id !== 0 && account.number === ann,
  );
  rig.sandbox.hub.state.liveUpdates.set(jid, new Map([[device!, Date.now() + 60_000]]));
  await rig.phones.request('POST', `/phones/${bob}/channels/${jid}/posts/${message.serverId}/reaction`, {
    emoji: '💚',
  });
  const [update] = await eventually('the counters', async () => {
    const events = await told(rig, deviceId, 'channel.message.updated');
    return events.length > 0 && events;
  });
  assert.deepEqual(update, {
    channel: jid,
    serverId: message.serverId,
    update: { views: 0, reactions: [{ reaction: '💚', count: 1 }] },
  });
  const [post] = [...rig.sandbox.hub.state.channels.get(jid)!.posts];
  const attrs = { from: jid, id: post!.id, server_id: String(post!.serverId), type: 'text', t: '1' };
  rig.sandbox.hub.deliver(device!, {
    tag: 'message',
    attrs,
    content: [{ tag: 'plaintext', attrs: {}, content: post!.bytes }],
  });
  await rig.phones.request('POST', `/channels/${jid}/posts`, { text: 'last' });
  await eventually('the last post', async () => {
    const events = await told(rig, deviceId, 'channel.message');
    return events.some((event) => event.message?.text === 'last');
  });
  assert.equal((await told(rig, deviceId, 'channel.message')).length, 2);
});

test('counters of the own channels are asked for while the setting wants events', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.phones.add(bob, 'Bob');
  const jid = await channelOf(rig, ann);
  const other = await channelOf(rig, bob);
  watched.session.applySettings({ ...defaultSettings, channels: 'own' });
  const { liveUpdates } = rig.sandbox.hub.state;
  await eventually('the counters are asked for', () => liveUpdates.get(jid)?.size === 1);
  assert.equal(liveUpdates.has(other), false);
  await rig.phones.request('POST', `/channels/${jid}/posts`, { text: 'hello' });
  await rig.phones.request('POST', `/phones/${bob}/channels/${jid}/posts/100/reaction`, { emoji: '💚' });
  const [update] = await eventually('the counters', async () => {
    const events = await told(rig, deviceId, 'channel.message.updated');
    return events.length > 0 && events;
  });
  assert.deepEqual([update?.channel, update?.serverId], [jid, 100]);
  const made = await watched.session.channels.create({ name: 'New', description: null, acceptTerms: true });
  await eventually('those of a new one, too', () => liveUpdates.get(made.jid)?.size === 1);
});

test('10,000 posts at once are all acknowledged, the connection stays, and a message among them is told', async (t) => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  watched.session.applySettings({ ...defaultSettings, channels: 'followed' });
  for (const [number, name] of [
    [bob, 'Bob'],
    [cyd, 'Cyd'],
  ] as const)
    await rig.phones.add(number, name);
  const jid = await channelOf(rig, bob);
  await watched.session.channels.follow(jid);
  await rig.phones.request('POST', `/channels/${jid}/posts`, { text: 'post', count: 10_000 });
  const begun = performance.now();
  await rig.phones.write(cyd, { to: ann, text: 'are you there?' });
  await rig.event(deviceId, 'message.received');
  const chatMs = performance.now() - begun;
  const queued = [...rig.sandbox.hub.accounts.get(ann)!.devices.values()].find(({ id }) => id !== 0)!.queue;
  await eventually('all are acknowledged', () => queued.size === 0);
  const allMs = performance.now() - begun;
  assert.ok(watched.reason() === null, 'the connection stays');
  const { length } = await told(rig, deviceId, 'channel.message');
  assert.ok(length >= 5_000, `${length} are told`);
  t.diagnostic(`a message after ${Math.round(chatMs)} ms; 10,000 posts, ${length} told, after ${Math.round(allMs)} ms`);
});

test('long posts at once are dropped beyond some megabytes, and all are acknowledged', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  watched.session.applySettings({ ...defaultSettings, channels: 'followed' });
  await rig.phones.add(bob, 'Bob');
  const jid = await channelOf(rig, bob);
  await watched.session.channels.follow(jid);
  const count = 700;
  await rig.phones.request('POST', `/channels/${jid}/posts`, { text: 'x'.repeat(60_000), count });
  const queued = [...rig.sandbox.hub.accounts.get(ann)!.devices.values()].find(({ id }) => id !== 0)!.queue;
  await eventually('all are acknowledged', () => queued.size === 0);
  assert.ok(watched.reason() === null, 'the connection stays');
  const { length } = await told(rig, deviceId, 'channel.message');
  assert.ok(length > 100 && length < count, `${length} are told`);
});

test('numbers of queries are replaced by those of a file, which must have no others', () => {
  assert.deepEqual(queryIdsWith('{"channelRead":"1"}'), { ...bundledQueryIds, channelRead: '1' });
  for (const text of [
    '',
    '[]',
    'null',
    '{"other":"1"}',
    '{"channelRead":1}',
    '{"channelRead":"x"}',
    '{"__proto__x":"1"}',
  ])
    assert.throws(() => queryIdsWith(text), Error);
  assert.throws(() => queryIdsWith(' '.repeat(70_000)), /more than/);
});
