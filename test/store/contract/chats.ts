/** Chats and contacts, fed by what tells of them, in the same transactions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyChange, SessionChanges } from '../../../src/domain/changes.ts';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { quietGroup } from '../../support/groups.ts';
import { bytes, chatA, chatB, lidA, type OpenStore, record, withStore } from './fixture.ts';

const page = { limit: 10, cursor: null };
const group = '120363000000000001@g.us';

const inbound = (id: string, rest: Partial<MessageRecord> = {}): MessageRecord =>
  record(id, { direction: 'in', state: 'delivered', acceptedAt: null, deliveredAt: 1, ...rest });

const pair = (phone: string, lid: string): KeyChange[] => {
  const [phoneUser, lidUser] = [phone, lid].map((jid) => jid.split('@')[0]!);
  return [
    { type: 'lid-mapping', id: phoneUser!, value: bytes(lidUser!) },
    { type: 'lid-mapping', id: `${lidUser}_reverse`, value: bytes(phoneUser!) },
  ];
};

export const chatsContract = (open: OpenStore): void => {
  const withDevice = (
    run: (of: {
      readonly id: number;
      readonly other: number;
      readonly stores: Parameters<Parameters<typeof withStore>[1]>[0]['stores'];
      readonly commit: (changes: SessionChanges) => Promise<unknown>;
      readonly fixture: Parameters<Parameters<typeof withStore>[1]>[0];
    }) => Promise<void>,
  ) =>
    withStore(open, async (fixture) => {
      const [{ id }, other] = [await fixture.device(), await fixture.device()];
      const commit = (changes: SessionChanges) => fixture.stores.changes.commit(id, changes);
      await run({ id, other: other.id, stores: fixture.stores, commit, fixture });
    });

  describe('chats', () => {
    it(
      'follow their messages: newest activity first, unread, the newest message',
      withDevice(async ({ id, other, stores, commit }) => {
        await commit({ messages: [inbound('A1', { timestamp: 1_000 }), inbound('A2', { timestamp: 2_000 })] });
        await commit({ messages: [inbound('B1', { chat: chatB, chatNumber: '4915187654321', timestamp: 3_000 })] });
        await commit({ messages: [inbound('G1', { chat: group, chatNumber: null, isGroup: true, timestamp: 1_500 })] });
        await commit({ messages: [inbound('A2', { timestamp: 2_000 })] });
        const { items, nextCursor } = await stores.chats.list(id, page);
        assert.deepEqual(
          items.map(({ chat, unread, lastMessage }) => [chat, unread, lastMessage?.id]),
          [
            [chatB, 1, 'B1'],
            [chatA, 2, 'A2'],
            [group, 1, 'G1'],
          ],
          'a message that is delivered again is not counted again',
        );
        assert.equal(nextCursor, null);
        assert.deepEqual((await stores.chats.list(other, page)).items, []);
        const first = await stores.chats.list(id, { limit: 2, cursor: null });
        const second = await stores.chats.list(id, { limit: 2, cursor: first.nextCursor });
        assert.deepEqual(
          [...first.items, ...second.items].map(({ chat }) => chat),
          [chatB, chatA, group],
        );
        assert.equal(second.nextCursor, null);
        const found = await stores.chats.find(id, chatA);
        assert.deepEqual(
          [found?.chatNumber, found?.chatLid, found?.name, found?.isGroup],
          ['4915112345678', null, 'Ann', false],
        );
        assert.equal(await stores.chats.find(other, chatA), null);
      }),
    );

    it(
      'count what another device of the account has not read',
      withDevice(async ({ id, stores, commit }) => {
        const unread = async () => (await stores.chats.find(id, chatA))?.unread;
        await commit({ messages: ['1', '2', '3'].map((n) => inbound(`A${n}`, { timestamp: Number(n) * 1_000 })) });
        await commit({ chats: [{ chat: chatA, read: ['A1', 'A2'] }] });
        assert.equal(await unread(), 1);
        await commit({ chats: [{ chat: chatA, read: ['A1'] }] });
        assert.equal(await unread(), 1, 'an older mark makes nothing unread');
        await commit({ messages: [record('O1', { state: 'pending', acceptedAt: null, timestamp: 4_000 })] });
        assert.equal(await unread(), 1, 'an own message by the interface is no reading');
        await commit({ messages: [record('O2', { timestamp: 5_000 })] });
        assert.equal(await unread(), 0, 'one written on the phone is');
        await commit({ messages: [inbound('H1', { historic: true, timestamp: 500 })] });
        assert.equal(await unread(), 0);
        await commit({ chats: [{ chat: chatA, unread: 'marked' }] });
        assert.equal(await unread(), 1);
        await commit({ chats: [{ chat: chatA, unread: 0, at: 4_999 }] });
        assert.equal(await unread(), 1, 'the chat was active after it');
        await commit({ chats: [{ chat: chatA, unread: 0 }] });
        assert.equal(await unread(), 0);
        await commit({ chats: [{ chat: chatB, unread: 7, at: 9_000, name: 'Bob' }] });
        const [newest] = (await stores.chats.list(id, { ...page, unread: true })).items;
        assert.deepEqual([newest?.chat, newest?.unread, newest?.name, newest?.lastMessage], [chatB, 7, 'Bob', null]);
      }),
    );

    it(
      'take archive, pin, mute and names from the application state, and lose them with it',
      withDevice(async ({ id, stores, commit, fixture }) => {
        const until = fixture.clock.now() + 60_000;
        await commit({ messages: [inbound('A1'), inbound('B1', { chat: chatB })] });
        await commit({
          appState: [
            { kind: 'archive', jid: chatA, value: { archived: true } },
            { kind: 'pin', jid: chatA, value: { at: 5 } },
            { kind: 'mute', jid: chatA, value: { until } },
            { kind: 'mute', jid: chatB, value: { until: null } },
            { kind: 'contact', jid: chatA, value: { name: 'Ann Müller', firstName: 'Ann', lid: null } },
          ],
        });
        const state = async (jid: string) => {
          const chat = await stores.chats.find(id, jid);
          return [chat?.archived, chat?.pinned, chat?.mutedUntil, chat?.name];
        };
        assert.deepEqual(await state(chatA), [true, true, until, 'Ann Müller']);
        assert.deepEqual(await state(chatB), [false, false, 'always', 'Ann']);
        const named = async (filter: object) =>
          (await stores.chats.list(id, { ...page, ...filter })).items.map(({ chat }) => chat);
        assert.deepEqual(await named({ archived: true }), [chatA]);
        assert.deepEqual(await named({ archived: false }), [chatB]);
        assert.deepEqual(await named({ q: 'muller' }), [chatA]);
        assert.deepEqual(await named({ q: '1518765' }), [chatB]);
        assert.deepEqual(await named({ q: 'nobody' }), []);
        await fixture.clock.advance(60_001);
        assert.deepEqual(await state(chatA), [true, true, null, 'Ann Müller']);
        await commit({ appState: [{ kind: 'archive', jid: chatA, value: null }] });
        assert.deepEqual(await named({ archived: true }), []);
        await commit({ appStateReset: ['pin', 'contact'], appState: [] });
        assert.deepEqual(await state(chatA), [false, false, null, 'Ann']);
      }),
    );

    it(
      'are one for both addresses, from when their pair is known',
      withDevice(async ({ id, stores, commit }) => {
        const byLid = { chat: lidA, chatNumber: null, chatLid: lidA };
        await commit({
          messages: [inbound('L1', { ...byLid, timestamp: 1_000 })],
          contacts: [{ jid: lidA, pushName: 'Annie' }],
        });
        await commit({ appState: [{ kind: 'archive', jid: lidA, value: { archived: true } }] });
        assert.deepEqual([(await stores.chats.find(id, lidA))?.chat, await stores.chats.find(id, chatA)], [lidA, null]);
        await commit({ messages: [inbound('P1', { timestamp: 2_000 })] });
        assert.equal((await stores.chats.list(id, page)).items.length, 2);
        await commit({ keys: pair(chatA, lidA), messages: [inbound('L2', { ...byLid, timestamp: 3_000 })] });
        const { items } = await stores.chats.list(id, page);
        assert.deepEqual(
          items.map(({ chat, chatLid, unread, lastMessage, archived, name }) => [
            chat,
            chatLid,
            unread,
            lastMessage?.id,
            archived,
            name,
          ]),
          [[chatA, lidA, 3, 'L2', true, 'Annie']],
        );
        assert.equal((await stores.chats.find(id, lidA))?.chat, chatA);
        assert.deepEqual(
          (await stores.contacts.list(id, page)).items.map(({ jid, lid }) => [jid, lid]),
          [[chatA, lidA]],
        );
        await commit({ appState: [{ kind: 'pin', jid: lidA, value: { at: 5 } }] });
        assert.equal((await stores.chats.find(id, chatA))?.pinned, true);
        // The LID becomes another number's.
        await commit({ messages: [inbound('B1', { chat: chatB, chatNumber: '4915187654321' })] });
        await commit({ keys: pair(chatB, lidA) });
        assert.deepEqual(
          [(await stores.chats.find(id, lidA))?.chat, (await stores.chats.find(id, chatA))?.chatLid],
          [chatB, null],
        );
      }),
    );

    it(
      'have one truth about their timers',
      withDevice(async ({ id, stores, commit }) => {
        const seconds = async (jid: string) => (await stores.chats.find(id, jid))?.expiresInSeconds;
        await commit({ messages: [inbound('A1', { chatLid: lidA }), inbound('G1', { chat: group, isGroup: true })] });
        assert.deepEqual([await seconds(chatA), await seconds(group)], [null, null]);
        await commit({ keys: [{ type: 'chat-timer', id: lidA, value: bytes('86400 1700000000') }] });
        await commit({ groups: [{ ...quietGroup, jid: group, expiresInSeconds: 604_800 }] });
        assert.deepEqual([await seconds(chatA), await seconds(group)], [86_400, 604_800]);
        await commit({ keys: [{ type: 'chat-timer', id: lidA, value: bytes('0 1700000001') }] });
        assert.equal(await seconds(chatA), null);
      }),
    );

    it(
      'outlive their messages, and a logout leaves those with messages',
      withDevice(async ({ id, stores, commit, fixture }) => {
        await commit({
          messages: [inbound('A1')],
          appState: [{ kind: 'archive', jid: chatA, value: { archived: true } }],
        });
        await commit({ chats: [{ chat: chatB, at: 5, name: 'Bob' }], contacts: [{ jid: chatB, pushName: 'Bob' }] });
        await stores.changes.clearCredentials(id, { account: null });
        const { items } = await stores.chats.list(id, page);
        assert.deepEqual(
          items.map(({ chat, archived }) => [chat, archived]),
          [[chatA, false]],
        );
        assert.deepEqual((await stores.contacts.list(id, page)).items, []);
        const now = fixture.clock.now() + 1;
        await stores.retention.prune({ events: now, messages: now, inbox: now, idempotency: now });
        assert.equal((await stores.chats.find(id, chatA))?.lastMessage, null);
        await stores.devices.delete(id);
        assert.equal(await stores.chats.find(id, chatA), null);
      }),
    );
  });

  describe('contacts', () => {
    it(
      'are changed a member at a time, and found by either address',
      withDevice(async ({ id, other, stores, commit }) => {
        await commit({ keys: pair(chatA, lidA), contacts: [{ jid: lidA, pushName: 'Annie', blocked: true }] });
        await commit({ contacts: [{ jid: chatA, about: 'Hi', picture: '17', businessName: 'Ann Ltd' }] });
        await commit({
          appState: [{ kind: 'contact', jid: chatA, value: { name: 'Ann', firstName: null, lid: null } }],
        });
        const wanted = {
          jid: chatA,
          number: '4915112345678',
          lid: lidA,
          username: null,
          name: 'Ann',
          pushName: 'Annie',
          businessName: 'Ann Ltd',
          about: 'Hi',
          blocked: true,
          picture: '17',
        };
        assert.deepEqual(await stores.contacts.find(id, chatA), wanted);
        assert.deepEqual(await stores.contacts.find(id, lidA), wanted);
        assert.equal(await stores.contacts.find(other, chatA), null);
        await commit({
          blockedReset: true,
          contacts: [
            { jid: chatB, blocked: true },
            { jid: chatA, about: null },
          ],
        });
        const { items } = await stores.contacts.list(id, page);
        assert.deepEqual(
          new Map(items.map(({ jid, blocked, about }) => [jid, [blocked, about]])),
          new Map([
            [chatA, [false, null]],
            [chatB, [true, null]],
          ]),
        );
        const first = await stores.contacts.list(id, { limit: 1, cursor: null });
        const second = await stores.contacts.list(id, { limit: 1, cursor: first.nextCursor });
        assert.deepEqual(new Set([...first.items, ...second.items].map(({ jid }) => jid)), new Set([chatA, chatB]));
        assert.deepEqual(
          (await stores.contacts.list(id, { ...page, q: 'ANNIE' })).items.map(({ jid }) => jid),
          [chatA],
        );
      }),
    );
  });
};
