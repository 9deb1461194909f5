/** Chats that were cleared or deleted on the account: their messages are gone, with what belongs to them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionChanges } from '../../../../src/domain/changes.ts';
import type { MessageRecord } from '../../../../src/domain/message.ts';
import { chatA, chatB, lidA, type OpenStore, record, withStore } from '../fixture.ts';

const received = (name: string, timestamp: number, rest: Partial<MessageRecord> = {}): MessageRecord =>
  record(name, { direction: 'in', state: 'delivered', timestamp, acceptedAt: null, deliveredAt: timestamp, ...rest });
const clearing = { chat: chatA, chatLid: null, until: 2_999, keepsStarred: false, isDeleted: false };
const inB = { chat: chatB, chatNumber: '4915187654321' };

export const clearedContract = (open: OpenStore): void => {
  describe('chats that are cleared', () => {
    const rig = (run: Parameters<typeof withStore>[1]) => withStore(open, run);

    it(
      'lose their messages up to then, and the others of the account stay',
      rig(async ({ stores, device }) => {
        const [{ id }, { id: other }] = [await device(), await device()];
        const commit = (changes: SessionChanges, of = id) => stores.changes.commit(of, changes);
        const pair = [
          { type: 'lid-mapping', id: '4915112345678', value: Buffer.from('98765432101234') },
          { type: 'lid-mapping', id: '98765432101234_reverse', value: Buffer.from('4915112345678') },
        ];
        const byLid = received('A0', 500, { chat: lidA, chatNumber: null, chatLid: lidA });
        await commit({ messages: [byLid] });
        const pending = record('A4', { state: 'pending', acceptedAt: null, timestamp: 2_500 });
        await commit({
          keys: pair,
          messages: [received('A1', 1_000), received('A2', 2_000), received('A3', 3_000), pending],
        });
        await commit({ messages: [received('B1', 1_000, inB)] });
        await commit({ messages: [received('A1', 1_000)] }, other);
        const from = { jid: chatA, number: '4915112345678', lid: null };
        const deed = { kind: 'reaction', reaction: '👍' } as const;
        await commit({ annotations: [{ messageId: 'A1', chat: chatA, chatLid: null, from, at: 1, deed }] });
        await commit({ cleared: [clearing] });
        const idsOf = async (of = id) =>
          (await stores.messages.list(of, { limit: 10, cursor: null })).items.map((m) => m.id);
        assert.deepEqual((await idsOf()).toSorted(), ['A3', 'A4', 'B1']);
        assert.deepEqual(await idsOf(other), ['A1']);
        assert.deepEqual(await stores.messages.annotations(id, [received('A1', 1_000)], ['reaction']), [[]]);
        assert.equal((await stores.chats.find(id, chatA))?.lastMessage?.id, 'A3');
        assert.deepEqual((await stores.chats.find(id, chatB))?.unread, 1);
      }),
    );

    it(
      'stay in the list without a message, and with nothing unread; deleted ones go, unless they have later messages',
      rig(async ({ stores, device }) => {
        const { id } = await device();
        const commit = (changes: SessionChanges) => stores.changes.commit(id, changes);
        await commit({ messages: [received('A1', 1_000), received('A2', 2_000)] });
        await commit({ cleared: [clearing] });
        const chat = await stores.chats.find(id, chatA);
        assert.deepEqual([chat?.lastMessage, chat?.unread], [null, 0]);
        await commit({ messages: [received('A3', 2_500), received('A4', 4_000)] });
        await commit({ cleared: [{ ...clearing, isDeleted: true }] });
        assert.equal((await stores.chats.find(id, chatA))?.lastMessage?.id, 'A4');
        await commit({ cleared: [{ ...clearing, isDeleted: true, until: 4_999 }] });
        assert.equal(await stores.chats.find(id, chatA), null);
        await commit({ messages: [received('A5', 6_000)] });
        assert.equal((await stores.chats.find(id, chatA))?.unread, 1);
      }),
    );

    it(
      'keep messages with a star where they are to be kept',
      rig(async ({ stores, device }) => {
        const { id } = await device();
        const commit = (changes: SessionChanges) => stores.changes.commit(id, changes);
        await commit({ messages: ['A1', 'A2', 'A3'].map((name) => received(name, 1_000)) });
        const from = { jid: chatB, number: null, lid: null };
        const star = (messageId: string, starred: boolean, at: number) =>
          ({ messageId, chat: chatA, chatLid: null, from, at, deed: { kind: 'star', starred } }) as const;
        await commit({ annotations: [star('A1', true, 1), star('A2', true, 1), star('A2', false, 2)] });
        await commit({ cleared: [{ ...clearing, keepsStarred: true }] });
        assert.deepEqual(
          (await stores.messages.list(id, { limit: 10, cursor: null })).items.map((m) => m.id),
          ['A1'],
        );
        await commit({ cleared: [clearing] });
        assert.deepEqual((await stores.messages.list(id, { limit: 10, cursor: null })).items, []);
      }),
    );
  });
};
