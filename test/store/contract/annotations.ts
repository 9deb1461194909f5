/** The contract of annotations: what each person did to a message, the newest of a kind, under either name of the chat. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Annotation, Deed } from '../../../src/domain/messages/annotation.ts';
import type { Person } from '../../../src/domain/messages/parts.ts';
import { type OpenStore, chatA, chatB, dayMs, lidA, record, withStore } from './fixture.ts';

const ann = { jid: chatA, number: chatA.split('@')[0]!, lid: lidA };
const bob = { jid: chatB, number: chatB.split('@')[0]!, lid: null };
const group = '120363000000000001@g.us';

const annotation = (deed: Deed, at: number, more: Partial<Annotation> = {}): Annotation => ({
  messageId: 'M1',
  chat: chatA,
  chatLid: null,
  from: ann,
  at,
  deed,
  ...more,
});

const reaction = (emoji: string | null, at: number, more?: Partial<Annotation>) =>
  annotation({ kind: 'reaction', reaction: emoji }, at, more);

export const annotationsContract = (open: OpenStore): void => {
  describe('annotations', () => {
    it(
      'keep the last of each person, however they come, and the first of each receipt',
      withStore(open, async ({ stores: { changes }, device, reopen }) => {
        const { id } = await device();
        const message = record('M1');
        const read = (at: number, from: Person = ann) => annotation({ kind: 'read' }, at, { from });
        await changes.commit(id, {
          messages: [message],
          annotations: [reaction('👍', 2), reaction('🎉', 3), reaction('👎', 1), reaction('❤', 1, { from: bob })],
        });
        await changes.commit(id, { annotations: [read(5), read(4, bob), read(9)] });
        const { messages } = await reopen();
        const of = async (kind: 'reaction' | 'read') =>
          (await messages.annotations(id, [message], [kind]))[0]!.toSorted((a, b) => a.at - b.at);
        assert.deepEqual(await of('reaction'), [
          { from: bob, at: 1, deed: { kind: 'reaction', reaction: '❤' } },
          { from: ann, at: 3, deed: { kind: 'reaction', reaction: '🎉' } },
        ]);
        assert.deepEqual(await of('read'), [
          { from: bob, at: 4, deed: { kind: 'read' } },
          { from: ann, at: 5, deed: { kind: 'read' } },
        ]);
      }),
    );

    it(
      'are found with the message by either name of its chat, and not with another of its id',
      withStore(open, async ({ stores: { changes, messages }, device }) => {
        const { id } = await device();
        const stored = record('M1', { chat: lidA, chatLid: lidA });
        const other = record('M1', { chat: chatB });
        const later = record('M2', { chatLid: lidA });
        await changes.commit(id, { messages: [stored, other] });
        await changes.commit(id, {
          annotations: [
            reaction('1', 1, { chatLid: lidA }),
            reaction('2', 2, { messageId: 'M2', chat: lidA }),
            reaction('3', 3, { messageId: 'M3', chat: group }),
          ],
        });
        await changes.commit(id, { messages: [later] });
        const found = await messages.annotations(id, [stored, other, later], ['reaction']);
        const emoji = found.map((all) => all.map(({ deed }) => deed.kind === 'reaction' && deed.reaction));
        assert.deepEqual(emoji, [['1'], [], ['2']]);
        assert.deepEqual(await messages.annotations(id + 1, [stored], ['reaction']), [[]]);
        assert.deepEqual(await messages.annotations(id, [], ['reaction']), []);
        assert.deepEqual(await messages.annotations(id, [stored], ['vote']), [[]]);
      }),
    );

    it(
      'of many messages come at once, and go with their age and with the device',
      withStore(open, async ({ stores: { changes, messages, retention, devices }, clock, device }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        const many = Array.from({ length: 450 }, (_, n) => record(`M${n}`));
        const annotations = many.map(({ id: messageId }, at) => reaction('x', at, { messageId }));
        for (const id of [one, two]) await changes.commit(id, { messages: many, annotations });
        const found = await messages.annotations(one, many, ['reaction']);
        assert.deepEqual(
          found.map((all) => all.length),
          many.map(() => 1),
        );
        await devices.delete(two);
        await clock.advance(dayMs);
        await changes.commit(one, { annotations: [reaction('late', 1_000, { from: bob })] });
        const before = { events: 0, messages: clock.now(), inbox: 0, idempotency: 0 };
        assert.equal(await retention.prune(before), 2 * many.length);
        const [kept] = await messages.annotations(one, [many[1]!], ['reaction']);
        assert.deepEqual(
          kept!.map(({ from }) => from),
          [bob],
        );
      }),
    );
  });
};
