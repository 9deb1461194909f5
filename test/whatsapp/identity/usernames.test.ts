/** Usernames in stanzas: each form that tells one, whose it is, and which of two told is kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { contactHash } from '../../../src/whatsapp/identity/hashes.ts';
import { personOf } from '../../../src/whatsapp/identity/people.ts';
import { hashOfRenamed, usernamesInNotice, usernamesTold } from '../../../src/whatsapp/identity/usernames.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { memoryStore } from '../signal/support.ts';

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };
const group = '120363025246125486@g.us';
const phone = '4915550000001@s.whatsapp.net';
const peek = (jid: string) => ({ phone: null, lid: jid === phone ? '1@lid' : null });
const now = 1_000_000;
const told = (...stanza: Parameters<typeof node>) =>
  usernamesTold(node(...stanza), peek, now).map(({ lidUser, username }) => [lidUser, username]);

test('each form of a stanza that has a name beside an address tells whose it is', () => {
  for (const found of [
    told('message', { from: '1:4@lid', username: 'bob' }),
    told('message', { from: phone, sender_lid: '1@lid', username: 'bob' }),
    told('message', { from: phone, username: '@bob' }),
    told('message', { from: group, participant: '1:3@lid', participant_username: 'bob' }),
    told('message', { from: '9@lid', recipient: '1@lid', recipient_username: 'bob' }),
    told('message', { from: '9@lid', recipient: phone, peer_recipient_lid: '1@lid', peer_recipient_username: 'bob' }),
    told('receipt', { from: group, participant: '1:9@lid', participant_username: 'bob' }),
    told('receipt', { from: group }, [
      node('participants', { key: 'A' }, [node('user', { jid: '1@lid', username: 'bob' })]),
    ]),
    told('notification', { from: group, participant: '1@lid', participant_username: 'bob' }, [node('subject')]),
    told('notification', { from: group }, [node('add', {}, [node('participant', { jid: '1@lid', username: 'bob' })])]),
    told('iq', {}, [node('group', { creator: '1@lid', creator_username: 'bob' })]),
    told('iq', {}, [node('group', { s_o: '1@lid', s_o_username: 'bob' })]),
    told('iq', {}, [node('membership_approval_request', { jid: '1@lid', requestor_username: 'bob' })]),
    told('iq', {}, [node('list', {}, [node('item', { jid: '1@lid', username: 'bob' })])]),
    told('call', { from: '9@lid' }, [node('offer', { 'call-creator': '1@lid', username: 'bob' })]),
  ])
    assert.deepEqual(found, [['1', 'bob']]);
});

test('what names nobody, or is no name, tells nothing; nor do the children of a message', () => {
  for (const found of [
    told('message', { from: '1@lid' }),
    told('message', { from: group, username: 'bob' }),
    told('message', { from: '4915550000009@s.whatsapp.net', username: 'bob' }),
    told('message', { from: '1@lid', username: 'my.whatsapp' }),
    told('message', { from: '1@lid', username: 'x'.repeat(100_000) }),
    told('message', { from: '1@lid', participant_username: 'bob' }),
    told('message', { from: '2@lid' }, [node('user', { jid: '1@lid', username: 'bob' })]),
  ])
    assert.deepEqual(found, []);
});

test('notices tell a new name, and that one is gone', () => {
  const notice = (data: object, attrs = {}) =>
    usernamesInNotice(
      node('notification', { type: 'mex', ...attrs }, [node('update', {}, Buffer.from(JSON.stringify({ data })))]),
      now,
    );
  assert.deepEqual(notice({ xwa2_notify_username_on_change: { lid: '1@lid', username: 'bob' } }, { t: '500' }), [
    { lidUser: '1', username: 'bob', at: 500_000 },
  ]);
  assert.deepEqual(notice({ xwa2_notify_username_delete: { lid: '1@lid', display_name: 'Bob' } }), [
    { lidUser: '1', username: null, at: now },
  ]);
  for (const data of [
    {},
    { xwa2_notify_username_on_change: { lid: '1@lid', username: 'a..b' } },
    { xwa2_notify_username_on_change: { lid: phone, username: 'bob' } },
    { xwa2_notify_username_on_change: { lid: 7, username: 'bob' } },
    { xwa2_notify_username_on_update_side_sub: { hash: 'abcd' } },
  ])
    assert.deepEqual(notice(data), []);
});

test('a notice by hash names those whom the device knows', async () => {
  const notice = (hash: unknown) => {
    const data = { xwa2_notify_username_on_update_side_sub: { hash } };
    return hashOfRenamed(node('notification', {}, [node('update', {}, Buffer.from(JSON.stringify({ data })))]));
  };
  assert.equal(notice('abcd'), 'abcd');
  for (const wrong of ['', 'a'.repeat(17), 7, null, {}]) assert.equal(notice(wrong), null);
  const { usernames } = makeLidMapping({ deviceId: 1, store: memoryStore(), clock: { now: () => now } });
  await usernames.load(['1', '2']);
  assert.deepEqual(usernames.withHash(contactHash('2'), 8), ['2']);
  assert.deepEqual(usernames.withHash(contactHash('3'), 8), []);
});

test('a name that goes to somebody else is no longer that of the former owner', async () => {
  const store = memoryStore();
  const mapping = makeLidMapping({ deviceId: 1, store, clock: { now: () => now } });
  await mapping.learn(node('message', { from: '1@lid', username: 'Shop', t: '500' }));
  await mapping.learn(node('message', { from: '2@lid', username: 'shop', t: '600' }));
  assert.deepEqual(
    ['1@lid', '2@lid'].map((lid) => personOf(mapping.peek, lid).username),
    [undefined, 'shop'],
  );
  await mapping.learn(node('message', { from: '1@lid', username: 'Shop', t: '550' }));
  assert.equal(personOf(mapping.peek, '1@lid').username, undefined, 'what came late');
});

test('the newest told is kept, in the store and beyond a restart; the own name is not', async () => {
  const store = memoryStore();
  const mappingOf = () =>
    makeLidMapping({ deviceId: 1, store, clock: { now: () => now }, isOwn: (user) => user === '9' });
  const mapping = mappingOf();
  const message = (username: string, t: string): BinaryNode => node('message', { from: '1@lid', username, t });
  await mapping.learn(message('bob', '500'));
  await mapping.learn(message('older', '400'));
  await mapping.learn(message('bob', '600'));
  assert.equal(store.commits.length, 1);
  await mapping.learn(message('robert', '700'));
  await mapping.learn(node('message', { from: '9@lid', username: 'myself', t: '700' }));
  assert.equal(store.commits.length, 2);
  const again = mappingOf();
  assert.equal(again.find('1@lid'), undefined, 'the store has to be asked');
  assert.equal(personOf(again.peek, '1@lid').username, undefined);
  await again.addressesOf('1@lid');
  assert.deepEqual(personOf(again.peek, '1@lid'), { jid: '1@lid', number: null, lid: '1@lid', username: 'robert' });
  await again.usernames.keep([{ lidUser: '1', username: null, at: now }]);
  assert.equal(personOf(again.peek, '1@lid').username, undefined);
  assert.deepEqual(again.changesOf(message('robert', '700')), [], 'what came late');
});
