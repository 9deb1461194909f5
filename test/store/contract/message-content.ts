/** The contract of the content of kept messages, which another path of its media replaces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { type OpenStore, chatA, chatB, lidA, record, withStore } from './fixture.ts';

/** Bytes compare as bytes, whatever class the database gives them. */
const plain = (message: MessageRecord | null): unknown =>
  message === null ? null : { ...message, content: message.content === null ? null : [...message.content] };

export const messageContentContract = (open: OpenStore): void => {
  describe('messages, their content', () => {
    for (const [size, bytes, later] of [
      ['small', 100, 5_000],
      ['large', 5_000, 100],
    ] as const) {
      it(
        `have their ${size} content replaced, and nothing else of them`,
        withStore(open, async ({ stores: { changes }, device, reopen }) => {
          const { id } = await device();
          const first = record('M1', { chatLid: lidA, direction: 'in', content: Buffer.alloc(bytes, 1) });
          await changes.commit(id, { messages: [first, record('M1', { chat: chatB })] });
          const content = Buffer.alloc(later, 2);
          await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: lidA, content }] });
          const again = await reopen();
          const { messages } = again;
          assert.deepEqual(plain(await messages.find(id, 'M1', chatA)), plain({ ...first, content }));
          assert.deepEqual(plain(await messages.find(id, 'M1', chatB)), plain(record('M1', { chat: chatB })));
          const more = Buffer.alloc(bytes, 3);
          const change = { messageId: 'M1', chat: chatA, content: more, text: 'edited' };
          await again.changes.commit(id, { messageChanges: [change] });
          assert.deepEqual(
            plain(await messages.find(id, 'M1', chatA)),
            plain({ ...first, content: more, text: 'edited' }),
          );
        }),
      );
    }

    for (const [size, bytes] of [
      ['small', 100],
      ['large', 5_000],
    ] as const) {
      it(
        `lose their ${size} content with a step, where it is not to be kept`,
        withStore(open, async ({ stores: { changes, messages }, device }) => {
          const { id } = await device();
          const secret = Buffer.alloc(32, 2);
          const sent = record('M1', { viewOnce: true, secret, content: Buffer.alloc(bytes, 1), state: 'pending' });
          await changes.commit(id, { messages: [{ ...sent, acceptedAt: null }] });
          const step = { state: 'accepted', at: 70 } as const;
          await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, step, isErased: true }] });
          const found = await messages.find(id, 'M1', chatA);
          assert.deepEqual([found?.content, found?.state, found?.acceptedAt], [null, 'accepted', 70]);
          assert.deepEqual([found?.viewOnce, found?.secret], [true, secret]);
        }),
      );
    }

    it(
      'keep their content once they are deleted, and get none that came without it',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        const deleted = record('M1', { content: Buffer.alloc(9, 1) });
        const empty = record('M2', { content: null, unavailable: 'waiting' });
        await changes.commit(id, { messages: [deleted, empty] });
        await changes.commit(id, { messageChanges: [{ messageId: 'M1', chat: chatA, deletedAt: 50 }] });
        const content = Buffer.alloc(9, 2);
        for (const messageId of ['M1', 'M2', 'M3'])
          await changes.commit(id, { messageChanges: [{ messageId, chat: chatA, content }] });
        assert.deepEqual(plain(await messages.find(id, 'M1')), plain({ ...deleted, deletedAt: 50 }));
        assert.equal((await messages.find(id, 'M2'))?.content, null);
      }),
    );
  });
};
