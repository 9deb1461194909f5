/** The contract of kept messages and of the steps they go through. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fact } from '../../../src/domain/changes.ts';
import { noMediaDetails, type Person } from '../../../src/domain/messages/parts.ts';
import type { MessageRecord, MessageState } from '../../../src/domain/message.ts';
import { type OpenStore, chatA, chatB, lidA, record, withStore } from './fixture.ts';
import { logOf } from '../../support/event-log.ts';

/** Bytes compare as bytes, whatever class the database gives them. */
const plain = (message: MessageRecord | null): unknown =>
  message === null ? null : { ...message, content: message.content === null ? null : [...message.content] };

const delivered = (messageId: string, chat: string, at: number, reader: Person | null = null): Fact => ({
  receipt: {
    messageId,
    step: { state: 'delivered', at },
    status: 'delivered',
    place: { chat, chatNumber: null, chatLid: null },
    reader,
  },
  chat,
});

export const messagesContract = (open: OpenStore): void => {
  describe('messages', () => {
    it(
      'are kept whole, and the first of an id in a chat stays',
      withStore(open, async ({ stores: { changes }, device, reopen }) => {
        const { id } = await device();
        const media = {
          mimetype: 'image/png',
          bytes: 5,
          sha256: 'x',
          fileName: null,
          ...noMediaDetails,
          url: 'https://h/m',
        };
        const first = record('M1', { media, chatLid: lidA, direction: 'in', quotedMessageId: 'Q' });
        await changes.commit(id, { messages: [first, record('M1', { text: 'again' })] });
        await changes.commit(id, { messages: [record('M1', { text: 'later', state: 'failed' })] });
        const store = (await reopen()).messages;
        assert.deepEqual(plain(await store.find(id, 'M1')), plain(first));
        assert.equal(await store.find(id + 1, 'M1'), null);
        assert.equal(await store.find(id, 'M2'), null);
      }),
    );

    it(
      'are in no list if they only change another, and are found to be sent again',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        const edit = record('E1', { state: 'action', type: 'system', text: null, acceptedAt: null });
        await changes.commit(id, { messages: [record('M1'), edit] });
        const step = { state: 'accepted', at: 5_000 } as const;
        await changes.commit(id, { messageChanges: [{ messageId: 'E1', chat: chatA, step }] });
        const { items } = await messages.list(id, { limit: 10, cursor: null });
        assert.deepEqual(
          items.map((each) => each.id),
          ['M1'],
        );
        const found = await messages.find(id, 'E1', chatA);
        assert.deepEqual([found?.acceptedAt, [...(found?.content ?? [])]], [5_000, [...(edit.content ?? [])]]);
      }),
    );

    it(
      'are found by chat where an id is in two, and by both addresses of a chat',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        const [a, b] = [record('M1', { chatLid: lidA }), record('M1', { chat: chatB, text: 'other' })];
        await changes.commit(id, { messages: [a, b] });
        assert.equal((await messages.find(id, 'M1', chatB))?.text, 'other');
        assert.equal((await messages.find(id, 'M1', chatA))?.text, 'Hello');
        assert.equal((await messages.find(id, 'M1', lidA))?.text, 'Hello');
        assert.equal(await messages.find(id, 'M1', '1@g.us'), null);
      }),
    );

    it(
      'are found by their id as the older one, where it is in two chats',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        for (const one of [record('M1'), record('M1', { chat: chatB })]) await changes.commit(id, { messages: [one] });
        for (const one of [record('M2', { chat: chatB }), record('M2')]) await changes.commit(id, { messages: [one] });
        assert.equal((await messages.find(id, 'M1'))?.chat, chatA);
        assert.equal((await messages.find(id, 'M2'))?.chat, chatB);
      }),
    );

    it(
      'are not found by what no database keeps, and that is all',
      withStore(open, async ({ stores: { messages, changes, users }, device }) => {
        const { id } = await device();
        const step = { state: 'read', at: 1 } as const;
        await changes.commit(id, { messageChanges: [{ messageId: 'M\0', chat: chatA, step }] });
        assert.equal(await messages.find(id, 'M\0'), null);
        assert.equal(await users.findByName('\0'), null);
      }),
    );

    it(
      'are listed newest first, in pages, of one chat or all',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        const all = Array.from({ length: 10 }, (_, index) =>
          record(`M${index}`, {
            timestamp: 1000 + Math.floor(index / 3),
            ...(index % 2 === 0 ? { chat: chatA, chatLid: lidA } : { chat: chatB }),
          }),
        );
        await changes.commit(id, { messages: all });
        await changes.commit(id, { messages: [record('L', { chat: lidA, chatLid: lidA, timestamp: 1001 })] });
        await changes.commit((await device()).id, { messages: [record('foreign')] });
        const pageThrough = async (limit: number, chat?: string): Promise<string[]> => {
          const ids: string[] = [];
          let cursor: string | null = null;
          do {
            const page: Awaited<ReturnType<typeof messages.list>> = await messages.list(
              id,
              chat === undefined ? { limit, cursor } : { limit, cursor, chat },
            );
            assert.ok(page.items.length <= limit);
            ids.push(...page.items.map((message) => message.id));
            cursor = page.nextCursor;
          } while (cursor !== null);
          return ids;
        };
        const newest = ['M9', 'M8', 'M7', 'M6', 'L', 'M5', 'M4', 'M3', 'M2', 'M1', 'M0'];
        for (const limit of [1, 3, 11, 100]) assert.deepEqual(await pageThrough(limit), newest);
        assert.deepEqual(await pageThrough(2, chatB), ['M9', 'M7', 'M5', 'M3', 'M1']);
        assert.deepEqual(await pageThrough(2, chatA), ['M8', 'M6', 'M4', 'M2', 'M0']);
        assert.deepEqual(await pageThrough(2, lidA), ['M8', 'M6', 'L', 'M4', 'M2', 'M0']);
        assert.deepEqual(await pageThrough(2, '1@g.us'), []);
      }),
    );

    it(
      'take steps that never go back',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        await changes.commit(id, { messages: [record('M1', { state: 'pending', acceptedAt: null })] });
        const step = async (state: MessageState, at: number): Promise<MessageRecord> => {
          await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, step: { state, at } }] });
          return (await messages.find(id, 'M1'))!;
        };
        assert.equal((await step('accepted', 10)).state, 'accepted');
        assert.equal((await step('pending', 11)).state, 'accepted');
        const read = await step('read', 20);
        assert.deepEqual([read.state, read.acceptedAt, read.deliveredAt, read.readAt], ['read', 10, null, 20]);
        const late = await step('delivered', 21);
        assert.deepEqual([late.state, late.deliveredAt, late.readAt], ['read', 21, 20]);
        assert.equal((await step('failed', 22)).state, 'read');
        const again = await step('read', 30);
        assert.equal(again.readAt, 20);
      }),
    );

    it(
      'have a step told once, under whichever address of the chat it is told again',
      withStore(open, async ({ stores: { changes, messages, events }, device }) => {
        const { id } = await device();
        const pending = { state: 'pending', acceptedAt: null } as const;
        await changes.commit(id, { messages: [record('M1', pending), record('M2', { ...pending, chat: lidA })] });
        const told = (messageId: string, chat: string, at: number) =>
          changes.commit(id, { facts: [delivered(messageId, chat, at)] });
        for (const [messageId, chat] of [
          ['M1', chatA],
          ['M1', chatA],
          ['M2', lidA],
          // Its phone number has become known meanwhile.
          ['M2', chatA],
          // Nobody keeps this one: only the log knows.
          ['M3', chatA],
          ['M3', chatA],
        ] as const)
          await told(messageId, chat, 20);
        // It is kept only now, and told once more.
        await changes.commit(id, { messages: [record('M3', pending)] });
        await told('M3', chatA, 20);
        const log = await logOf(events, id);
        const ids = log.map(({ event }) => (event.type === 'message.updated' ? event.data.messageId : null));
        assert.deepEqual(ids, ['M1', 'M2', 'M3']);
        for (const messageId of ['M1', 'M2']) {
          const { state, deliveredAt } = (await messages.find(id, messageId))!;
          assert.deepEqual([state, deliveredAt], ['delivered', 20]);
        }
      }),
    );

    it(
      'have a step in a group told once for each reader',
      withStore(open, async ({ stores: { changes, messages, events }, device }) => {
        const { id } = await device();
        const group = '120363000000000001@g.us';
        await changes.commit(id, { messages: [record('M1', { chat: group, isGroup: true })] });
        for (const [n, lid] of ['1@lid', '2@lid', '1@lid', '3@lid', '2@lid'].entries())
          await changes.commit(id, { facts: [delivered('M1', group, 2_000 + n, { jid: lid, number: null, lid })] });
        const told = (await logOf(events, id)).map(({ event }) => event.data as { update: { from: Person } });
        assert.deepEqual(told.map(({ update }) => update.from.lid).join(), '1@lid,2@lid,3@lid');
        assert.equal((await messages.find(id, 'M1'))?.deliveredAt, 2_000);
      }),
    );

    it(
      'have their bytes whole, few or many, also after an edit',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        for (const [messageId, length] of [
          ['few', 1_024],
          ['many', 1_025],
        ] as const) {
          const content = Uint8Array.from({ length }, (_, index) => index % 251);
          await changes.commit(id, { messages: [record(messageId, { content })] });
          await changes.commit(id, { messageChanges: [{ messageId, chat: chatA, text: 'edited' }] });
          const kept = (await messages.find(id, messageId))!;
          assert.equal(kept.text, 'edited');
          assert.deepEqual([...kept.content!], [...content]);
          assert.ok(!('raw' in kept));
        }
      }),
    );

    it(
      'have times in the order of their steps, though the network tells the later ones in whole seconds',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        await changes.commit(id, { messages: [record('M1', { acceptedAt: 1065 })] });
        for (const state of ['delivered', 'read'] as const) {
          const step = { state, at: 1000 };
          await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, step }] });
        }
        const { acceptedAt, deliveredAt, readAt } = (await messages.find(id, 'M1'))!;
        assert.deepEqual([acceptedAt, deliveredAt, readAt], [1065, 1065, 1065]);
      }),
    );

    it(
      'may fail after they were accepted, and be accepted when they are sent again',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        await changes.commit(id, { messages: [record('M1')] });
        const step = (state: MessageState, at: number) =>
          changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, step: { state, at } }] });
        await step('failed', 20);
        assert.equal((await messages.find(id, 'M1'))?.state, 'failed');
        await step('accepted', 30);
        assert.equal((await messages.find(id, 'M1'))?.state, 'accepted');
      }),
    );

    it(
      'are not changed by anybody but their author, and nobody is told that they were',
      withStore(open, async ({ stores: { changes, messages, events }, device }) => {
        const { id } = await device();
        const mine = { from: '4911100001@s.whatsapp.net', fromNumber: '4911100001', fromLid: '1@lid' };
        await changes.commit(id, { messages: [record('M1', { chatLid: lidA, ...mine })] });
        const edit = async (text: string, author: Person, messageId = 'M1') => {
          const place = { chat: chatA, chatNumber: null, chatLid: lidA };
          const event = { type: 'message.updated' as const, data: { messageId, ...place, update: { text } } };
          await changes.commit(id, {
            messageChanges: [{ messageId, chat: lidA, text, author }],
            facts: [{ event, at: 1, author }],
          });
          return [(await messages.find(id, 'M1'))?.text, (await logOf(events, id)).length];
        };
        const other = { jid: chatA, number: '4915112345678', lid: lidA };
        assert.deepEqual(await edit('forged', other), ['Hello', 0]);
        assert.deepEqual(await edit('forged', { jid: lidA, number: null, lid: lidA }), ['Hello', 0]);
        assert.deepEqual(await edit('better', { jid: mine.from, number: mine.fromNumber, lid: null }), ['better', 1]);
        assert.deepEqual(await edit('best', { jid: '1@lid', number: null, lid: '1@lid' }), ['best', 2]);
        assert.deepEqual(await edit('of one that is not kept', other, 'M2'), ['best', 3]);
      }),
    );

    it(
      'are edited and revoked, by either address, and what is not there is no error',
      withStore(open, async ({ stores: { changes }, device, reopen }) => {
        const { id } = await device();
        await changes.commit(id, { messages: [record('M1', { chatLid: lidA })] });
        await changes.commit(id, {
          messageChanges: [
            { messageId: 'M1', chat: lidA, text: 'edited' },
            { messageId: 'M1', chat: chatB, text: 'not this one' },
            { messageId: 'M9', chat: chatA, text: 'nobody' },
          ],
        });
        await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, deletedAt: 50 }] });
        await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, deletedAt: 60 }] });
        const { messages } = await reopen();
        const found = await messages.find(id, 'M1');
        assert.equal(found?.text, 'edited');
        assert.equal(found?.deletedAt, 50);
        assert.equal(found?.pushName, 'Ann');
        assert.equal(await messages.find(id, 'M9'), null);
      }),
    );
  });
};
