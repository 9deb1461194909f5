/** The hash by which the network names a contact: as real ones are, and what is dropped by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { contactHash, contactHashesIn, usersByHash } from '../../../src/whatsapp/identity/hashes.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { startOutbox } from '../send/outbox-support.ts';
import { memoryStore } from '../signal/support.ts';

const notice = (...content: BinaryNode[]): BinaryNode => ({ tag: 'notification', attrs: { type: 'devices' }, content });
const update = (hash: string, content?: BinaryNode[]): BinaryNode => ({
  tag: 'update',
  attrs: { hash },
  ...(content !== undefined && { content }),
});

test('it is that of the network (whatsapp-rust crypto.rs, 2026-08)', () => {
  for (const [user, hash] of [
    ['100000000000001', 's7oK'],
    ['100000000000002', 'P2DY'],
    ['100000000000003', '4ZhY'],
  ] as const)
    assert.equal(contactHash(user), hash);
});

test('a notification that names devices has none, and one without a hash names nobody', () => {
  const device = { tag: 'device', attrs: { jid: '1:2@s.whatsapp.net' } };
  assert.deepEqual(contactHashesIn(notice(update('s7oK', [device]))), []);
  assert.deepEqual(contactHashesIn(notice({ tag: 'add', attrs: { hash: 's7oK' }, content: [device] })), []);
  assert.deepEqual(contactHashesIn(notice({ tag: 'update', attrs: {} })), ['']);
  assert.deepEqual(contactHashesIn({ tag: 'notification', attrs: {} }), []);
  assert.equal(contactHashesIn(notice(...Array.from({ length: 1_000 }, () => update('s7oK')))).length, 10);
});

test('it finds a list by either address of its account, and both of two accounts that have the same', async () => {
  const mapping = makeLidMapping({ deviceId: 1, store: memoryStore() });
  await mapping.storeLIDPNMappings([{ lid: '2000@lid', pn: '4915550000002@s.whatsapp.net' }]);
  const { userDevices } = makeDeviceMemory();
  const list = (user: string) => userDevices.set(user, [{ user, server: 'lid', device: 0 }]);
  list('2000');
  // 24 bits: among so many, two are the same.
  const taken = new Map<string, string>();
  let [one, other] = ['', ''];
  for (let n = 0; one === ''; n += 1) {
    const hash = contactHash(String(n));
    if (taken.has(hash)) [one, other] = [taken.get(hash)!, String(n)];
    taken.set(hash, String(n));
  }
  list(one);
  list(other);
  const users = usersByHash(userDevices, mapping);
  assert.deepEqual([...(users.get(contactHash('2000')) ?? [])], ['2000']);
  assert.deepEqual([...(users.get(contactHash('4915550000002')) ?? [])], ['2000']);
  assert.deepEqual(new Set(users.get(contactHash(one))), new Set([one, other]));
});

test('a notification with it drops the list of the contact, and leaves those of others and of the own account', async () => {
  const { lists, asked, sock } = startOutbox();
  const jids = ['100001@lid', '2000@lid', '3000@lid'];
  await lists.of(jids);
  assert.equal(asked.length, 1);
  sock.stanzas.dispatch({
    ...notice(update(contactHash('2000'))),
    attrs: { from: '4915550000001@s.whatsapp.net', lid: '100001@lid', type: 'devices' },
  });
  await lists.of(jids);
  assert.deepEqual(asked.slice(1), ['devices 2000@lid']);
  await lists.of(['4000@lid']);
  for (const hash of ['', 'A', contactHash('4000').toLowerCase(), 'x'.repeat(100_000)])
    sock.stanzas.dispatch(notice(update(hash)));
  sock.stanzas.dispatch(notice(update(contactHash('4000'))));
  await lists.of([...jids, '4000@lid']);
  assert.deepEqual(asked.slice(2), ['devices 4000@lid', 'devices 4000@lid']);
});
