/** The contract of labels: kept with their marks, told once, filtered by, gone with the link. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionChanges } from '../../../../src/domain/changes.ts';
import { customListType, type KeptLabel, type LabelMark, labelsIn } from '../../../../src/domain/chats/label.ts';
import { logOf } from '../../../support/event-log.ts';
import { bytes, chatA, chatB, lidA, type OpenStore, record, withStore } from '../fixture.ts';

const page = { limit: 100, cursor: null };

const label = (id: string, name: string, more: Partial<KeptLabel> = {}): KeptLabel => ({
  id,
  name,
  color: 1,
  listType: customListType,
  predefinedId: null,
  orderIndex: null,
  isImmutable: false,
  ...more,
});

const made = (...labels: readonly KeptLabel[]): SessionChanges => ({
  labels: labels.map((each) => ({ id: each.id, label: each })),
});

const mark = (chat: string, id: string, labeled: boolean, at: number, messageId: string | null = null): LabelMark => ({
  chat,
  messageId,
  label: id,
  labeled,
  at,
});

const pair = [
  { type: 'lid-mapping', id: '4915112345678', value: bytes('98765432101234') },
  { type: 'lid-mapping', id: '98765432101234_reverse', value: bytes('4915112345678') },
];

export const labelsContract = (open: OpenStore): void => {
  describe('labels', () => {
    it(
      'are listed in the order of their numbers, page by page',
      withStore(open, async ({ stores: { changes, labels }, device, reopen }) => {
        const { id } = await device();
        await changes.commit(
          id,
          made(label('10', 'ten'), label('9', 'nine'), label('100', 'hundred'), label('2', 'two')),
        );
        const names = async () => (await labels.list(id, page)).items.map(({ name }) => name);
        assert.deepEqual(await names(), ['two', 'nine', 'ten', 'hundred']);
        const first = await labels.list(id, { limit: 3, cursor: null });
        const rest = await labels.list(id, { limit: 3, cursor: first.nextCursor });
        assert.deepEqual(
          [...first.items, ...rest.items].map((each) => each.id),
          ['2', '9', '10', '100'],
        );
        assert.equal(rest.nextCursor, null);
        await changes.commit(id, { labels: [{ id: '9', label: null }] });
        await changes.commit(id, made(label('2', 'second', { predefinedId: 3, orderIndex: 7 })));
        assert.deepEqual(await names(), ['second', 'ten', 'hundred']);
        assert.equal((await labels.find(id, '2'))?.orderIndex, 7);
        assert.equal(await labels.find(id, '9'), null);
        const again = await reopen();
        assert.equal((await again.labels.list(id, page)).items.length, 3);
        await assert.rejects(again.labels.list(id, { limit: 3, cursor: 'x' }), /cursor must be/);
      }),
    );

    it(
      'are on a chat under both addresses, of which the newest mark counts, and on messages',
      withStore(open, async ({ stores: { changes, chats, messages, labels }, device }) => {
        const { id } = await device();
        await changes.commit(id, {
          ...made(label('1', 'one'), label('2', 'two')),
          messages: [record('A'), record('B', { timestamp: 2_000 }), record('C', { chat: chatB, timestamp: 3_000 })],
        });
        await changes.commit(id, { labelMarks: [mark(lidA, '1', true, 50), mark(chatA, '3', true, 50)] });
        const shown = async () => (await chats.find(id, chatA))?.labels;
        assert.deepEqual(await shown(), [], 'the LID is nobody yet, and there is no label 3');
        await changes.commit(id, { keys: pair, chats: [{ chat: chatA, chatLid: lidA }] });
        assert.deepEqual(await shown(), ['1']);
        const listed = async (wanted: string) =>
          (await chats.list(id, { ...page, label: wanted })).items.map(({ chat }) => chat);
        assert.deepEqual([await listed('1'), await listed('2')], [[chatA], []]);
        await changes.commit(id, { labelMarks: [mark(chatA, '1', false, 40), mark(chatA, '2', true, 60)] });
        assert.deepEqual(await shown(), ['1', '2'], 'an older mark of the other address counts for nothing');
        await changes.commit(id, { labelMarks: [mark(chatA, '1', false, 60)] });
        assert.deepEqual(await shown(), ['2']);
        await changes.commit(id, { labelMarks: [mark(chatA, '2', true, 9, 'A'), mark(lidA, '2', true, 9, 'B')] });
        await changes.commit(id, { labelMarks: [mark(chatB, '2', true, 9, 'C'), mark(chatA, '1', true, 9, 'C')] });
        const found = async (more: object = {}) =>
          (await messages.list(id, { ...page, label: '2', ...more })).items.map((each) => each.id);
        assert.deepEqual(await found(), ['C', 'A'], 'B is stored without the LID');
        assert.deepEqual(await found({ chat: chatA }), ['A']);
        assert.deepEqual(await found({ since: 2_500 }), ['C']);
        const first = await messages.list(id, { limit: 1, cursor: null, label: '2' });
        const second = await messages.list(id, { limit: 1, cursor: first.nextCursor, label: '2' });
        assert.deepEqual(
          [first, second].map(({ items }) => items[0]!.id),
          ['C', 'A'],
        );
        assert.deepEqual(await found({ q: 'nothing of it' }), []);
        const [marks] = await labels.marks(id, [{ chat: chatA, chatLid: lidA, id: 'A' }]);
        assert.deepEqual(labelsIn(marks!), ['2']);
        await changes.commit(id, { labels: [{ id: '2', label: null }], labelMarks: [mark(chatA, '2', true, 99)] });
        assert.deepEqual([await shown(), await found(), await listed('2')], [[], [], []]);
      }),
    );

    it(
      'are told once for each change, on chats and messages too, and not while they are loaded',
      withStore(open, async ({ stores: { changes, events }, device }) => {
        const { id } = await device();
        let seen = 0;
        const told = async () => {
          const log = (await logOf(events, id)).slice(seen);
          seen += log.length;
          return log.map(({ event }) => [event.type, event.data]);
        };
        const one = { id: '1', name: 'one', color: 1, type: 'custom' };
        await changes.commit(id, { ...made(label('1', 'one')), labelMarks: [mark(chatA, '1', true, 1)], loaded: true });
        assert.deepEqual(await told(), []);
        await changes.commit(id, made(label('1', 'one'), label('2', 'two', { color: null, listType: 3 })));
        assert.deepEqual(await told(), [
          ['label.updated', { label: { id: '2', name: 'two', color: null, type: 'favorites' }, deleted: false }],
        ]);
        const ofA = { chat: chatA, chatNumber: '4915112345678', chatLid: null };
        await changes.commit(id, { labelMarks: [mark(chatA, '2', true, 2), mark(chatA, '1', true, 2)] });
        await changes.commit(id, { labelMarks: [mark(chatA, '2', true, 3)] });
        assert.deepEqual(await told(), [['chat.updated', { ...ofA, change: { labels: ['1', '2'] } }]]);
        await changes.commit(id, { labelMarks: [mark(chatA, '1', true, 2, 'A')] });
        await changes.commit(id, { labelMarks: [mark(chatA, '1', true, 3, 'A')] });
        await changes.commit(id, { labelMarks: [mark(chatA, '1', false, 4, 'A')] });
        assert.deepEqual(await told(), [
          ['message.updated', { ...ofA, messageId: 'A', update: { labels: ['1'] } }],
          ['message.updated', { ...ofA, messageId: 'A', update: { labels: [] } }],
        ]);
        await changes.commit(id, { labels: [{ id: '2', label: null }] });
        await changes.commit(id, { labelsReset: true, ...made(label('1', 'uno')) });
        assert.deepEqual(await told(), [
          ['label.updated', { label: { id: '2', name: 'two', color: null, type: 'favorites' }, deleted: true }],
          ['label.updated', { label: { ...one, name: 'uno' }, deleted: false }],
        ]);
      }),
    );

    it(
      'are gone with the link, and with the device',
      withStore(open, async ({ stores: { changes, labels, devices }, device, bytesIn }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        const some = { ...made(label('1', 'one')), labelMarks: [mark(chatA, '1', true, 1)] };
        for (const id of [one, two]) await changes.commit(id, some);
        await changes.clearCredentials(one, {});
        assert.deepEqual((await labels.list(one, page)).items, []);
        await devices.delete(two);
        assert.deepEqual([await bytesIn('labels'), await bytesIn('label_marks')], [0, 0]);
      }),
    );
  });
};
