/** Messages that reach nobody, taken back with the chats that they alone have made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { chatA, chatB, type OpenStore, record, withStore } from './fixture.ts';

const group = '120363000000000001@g.us';
const inB = { chat: chatB, chatNumber: '4915187654321' };
const inGroup = { chat: group, chatNumber: null, isGroup: true };

const out = (name: string, rest: Partial<MessageRecord> = {}): MessageRecord =>
  record(name, { state: 'pending', acceptedAt: null, timestamp: 5_000, ...rest });

export const withdrawnContract = (open: OpenStore): void => {
  it(
    'withdrawn messages are gone, with the chats that they alone have made',
    withStore(open, async ({ stores, device }) => {
      const [{ id }, { id: other }] = [await device(), await device()];
      const commit = (changes: SessionChanges, of = id) => stores.changes.commit(of, changes);
      const chats = async (of = id) => {
        const { items } = await stores.chats.list(of, { limit: 10, cursor: null });
        return items.map(({ chat, lastMessage }) => `${chat} ${lastMessage?.id ?? ''}`).toSorted();
      };
      const before = record('B1', { ...inB, direction: 'in', state: 'delivered', timestamp: 1_000 });
      await commit({ messages: [before], chats: [{ chat: group, at: 1_000 }] });
      await commit({ messages: [out('A1')] }, other);
      await commit({ messages: [out('A1'), out('A2'), out('B2', inB), out('G1', inGroup)] });
      await commit({ withdrawn: [out('A1'), out('B2', inB), out('G1', inGroup)] });
      assert.deepEqual(await chats(), [`${chatA} A2`, `${chatB} B1`, `${group} `].toSorted());
      await commit({ withdrawn: [out('A2'), out('A3')] });
      assert.deepEqual(await chats(), [`${chatB} B1`, `${group} `].toSorted());
      assert.equal(await stores.messages.find(id, 'A2'), null);
      assert.deepEqual(await chats(other), [`${chatA} A1`], 'that of another device stays');
      await commit({ messages: [out('A4')], appState: [{ kind: 'archive', jid: chatA, value: { archived: true } }] });
      await commit({ withdrawn: [out('A4')] });
      assert.ok((await chats()).includes(`${chatA} `), 'one that was archived stays');
    }),
  );
};
