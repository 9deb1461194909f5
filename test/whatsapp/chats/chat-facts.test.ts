/** Facts about chats in application state, history and receipts, as changes of the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { saidIn } from '../../../src/whatsapp/chats/app-state/actions.ts';
import { readChunk } from '../../../src/whatsapp/chats/history/chunk.ts';
import { PushNames } from '../../../src/whatsapp/translate/message.ts';
import { readElsewhere } from '../../../src/whatsapp/translate/receipt.ts';

const chat = '4915112345678@s.whatsapp.net';
const lid = '98765432101234@lid';
const group = '120363000000000001@g.us';
const me = { phone: '4915550001111@s.whatsapp.net', lid: '11122233344455@lid' };
const peek = (jid: string) => (jid === lid || jid === chat ? { phone: chat, lid } : { phone: null, lid: null });

test('marks of the phone make a chat read up to a message, or unread', () => {
  const mutation = (read: boolean, lastMessageTimestamp?: number, removed = false) => ({
    index: ['markChatAsRead', chat],
    removed,
    value: proto.SyncActionValue.encode({
      timestamp: 5_000,
      markChatAsReadAction: { read, ...(lastMessageTimestamp && { messageRange: { lastMessageTimestamp } }) },
    }).finish(),
  });
  const { chats, changes } = saidIn([mutation(true, 1_700_000_000), mutation(false), mutation(true, 1, true)]);
  assert.deepEqual(chats, [
    { chat, unread: 0, until: 1_700_000_000_999 },
    { chat, unread: 'marked', until: 5_000 },
  ]);
  assert.deepEqual(changes, []);
});

test('the username of a contact is as old as the entry', () => {
  const entry = { timestamp: 5_000, contactAction: { fullName: 'Ann', lidJid: lid, username: 'ann' } };
  const value = proto.SyncActionValue.encode(entry).finish();
  assert.deepEqual(saidIn([{ index: ['contact', chat], removed: false, value }]).usernames, [
    { lid, username: 'ann', at: 5_000 },
  ]);
});

test('history tells of chats and names, and of nothing that is neither person nor group', async () => {
  const { chats, contacts } = await readChunk(
    proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
      conversations: [
        { id: chat, lidJid: lid, unreadCount: 3, conversationTimestamp: 1_700_000_000, name: 'Ann' },
        { id: group, markedAsUnread: true, displayName: 'Friends' },
        { id: 'status@broadcast', unreadCount: 9 },
      ],
      pushnames: [
        { id: chat, pushname: 'Annie' },
        { id: lid, pushname: '-' },
        { id: group, pushname: 'x' },
      ],
    }).finish(),
  );
  assert.deepEqual(chats, [
    { chat, chatLid: lid, name: 'Ann', at: 1_700_000_000_000, unread: 3 },
    { chat: group, chatLid: null, name: 'Friends', unread: 'marked' },
  ]);
  assert.deepEqual(contacts, [{ jid: chat, pushName: 'Annie' }]);
});

test('a receipt of another device of the account says what is read; others’ receipts, and those of no chat, do not', () => {
  const node = (attrs: Record<string, string>) => ({ tag: 'receipt', attrs: { id: 'A', t: '1', ...attrs } });
  const read = (attrs: Record<string, string>) => readElsewhere(node(attrs), { me, peek });
  assert.deepEqual(read({ from: me.phone, recipient: lid, type: 'read-self' }), { chat, chatLid: lid, read: ['A'] });
  assert.deepEqual(read({ from: group, participant: '11122233344455:3@lid', type: 'read' }), {
    chat: group,
    chatLid: null,
    read: ['A'],
  });
  assert.equal(read({ from: chat, type: 'read' }), null);
  assert.equal(read({ from: group, participant: lid, type: 'read' }), null);
  assert.equal(read({ from: me.phone, recipient: chat }), null, 'delivered');
  assert.equal(read({ from: me.phone, recipient: me.phone, type: 'read' }), null);
});

test('a name is told once, until it is another', () => {
  const names = new PushNames();
  const from = { jid: chat, number: '4915112345678', lid };
  const told = (pushName: string | null, fromMe = false, at = 2_000) => names.told({ from, fromMe, pushName, at });
  assert.deepEqual(told('Ann'), [{ jid: chat, lid, pushName: 'Ann' }]);
  assert.deepEqual([told('Ann'), told(null), told('Ada', true)], [[], [], []]);
  assert.deepEqual(told('Annie'), [{ jid: chat, lid, pushName: 'Annie' }]);
  assert.deepEqual(told('Ann', false, 1_000), [], 'in a message that comes late');
});
