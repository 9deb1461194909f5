/** Search in the message log: sealed messages are opened in turn, a bounded number for each page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chatA, chatB, lidA, bytes, type OpenStore, record, withStore } from '../fixture.ts';

export const messageSearchContract = (open: OpenStore): void => {
  describe('a search in messages', () => {
    it(
      'finds by words, type, sender and time, in one chat or all, and follows edits, deletions and retention',
      withStore(open, async ({ stores, device, clock }) => {
        const { id } = await device();
        const ids = async (filter: object) =>
          (await stores.messages.list(id, { limit: 10, cursor: null, ...filter })).items.map((message) => message.id);
        await stores.changes.commit(id, {
          messages: [
            record('1', { text: 'Die Rechnung für Müller', timestamp: 1_000 }),
            record('2', { text: 'rechnung bezahlt', chat: chatB, from: chatB, timestamp: 2_000 }),
            record('3', {
              text: null,
              type: 'document',
              timestamp: 3_000,
              media: {
                mimetype: 'a/b',
                bytes: 1,
                sha256: null,
                fileName: 'Rechnung-7.pdf',
                voice: false,
                gif: false,
                seconds: null,
                width: null,
                height: null,
                waveform: null,
              },
            }),
            record('4', { text: 'etwas anderes', from: chatB, fromLid: lidA, timestamp: 4_000 }),
            record('5', { text: '请付款给我', timestamp: 5_000 }),
            record('6', { text: 'Łukasz, Ørsted, Đorđe, ISPARTA, Straße, Œuvre', timestamp: 6_000 }),
          ],
        });
        assert.deepEqual(await ids({ q: 'RECHNUNG' }), ['3', '2', '1']);
        assert.deepEqual(await ids({ q: 'muller rechnung' }), ['1']);
        assert.deepEqual(await ids({ q: '付款' }), ['5']);
        assert.deepEqual(await ids({ q: 'lukasz orsted dorde ısparta STRASSE oeuvre' }), ['6']);
        assert.deepEqual(await ids({ q: 'rechnung', chat: chatB }), ['2']);
        assert.deepEqual(await ids({ q: 'rechnung', type: 'document' }), ['3']);
        assert.deepEqual(await ids({ from: chatB }), ['4', '2']);
        assert.deepEqual(await ids({ from: lidA }), ['4']);
        assert.deepEqual(await ids({ since: 2_000, until: 3_000 }), ['3', '2']);
        await stores.changes.commit(id, {
          messageChanges: [
            { messageId: '1', chat: chatA, text: 'Die Mahnung', editedAt: 9_000 },
            { messageId: '3', chat: chatA, deletedAt: 9_000 },
          ],
        });
        assert.deepEqual(await ids({ q: 'rechnung' }), ['2']);
        assert.deepEqual(await ids({ q: 'mahnung' }), ['1']);
        const now = clock.now() + 1;
        await stores.retention.prune({ events: now, messages: now, inbox: now, idempotency: now });
        assert.deepEqual(await ids({ q: 'mahnung' }), []);
      }),
    );

    it(
      'ends when it has found nothing for long, and says how far it has looked',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        const search = (rest: object) => stores.messages.list(id, { limit: 10, cursor: null, q: 'needle', ...rest });
        const hay = Array.from({ length: 10_100 }, (_, index) => record(`${index}`, { timestamp: 10 + index }));
        const needle = record('old', { text: 'A needle', timestamp: 1 });
        await stores.changes.commit(id, { messages: [needle, ...hay] });
        // One more message in vain is enough, however few a busy machine opens in the time of a page.
        const key = ['messages', 80_000, 1, 99_999];
        const page = await search({ cursor: Buffer.from(JSON.stringify(key)).toString('base64url') });
        assert.deepEqual([page.items, page.nextCursor], [[], null]);
        assert.ok(page.searchedSince !== null && page.searchedSince > 1);
        const until = Math.min(page.searchedSince, 1_000);
        let rest = await search({ until });
        while (rest.items.length === 0 && rest.nextCursor !== null)
          rest = await search({ until, cursor: rest.nextCursor });
        assert.partialDeepStrictEqual(rest, { items: [{ id: 'old' }], searchedSince: null });
      }),
    );

    it(
      'and a list of one chat find what is stored under either address of a person',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        const pair = [
          { type: 'lid-mapping', id: '4915112345678', value: bytes('98765432101234') },
          { type: 'lid-mapping', id: '98765432101234_reverse', value: bytes('4915112345678') },
        ];
        await stores.changes.commit(id, { messages: [record('L', { chat: lidA, chatLid: lidA, timestamp: 1 })] });
        await stores.changes.commit(id, { keys: pair, messages: [record('P', { chatLid: lidA, timestamp: 2 })] });
        for (const chat of [chatA, lidA]) {
          const { items } = await stores.messages.list(id, { limit: 10, cursor: null, chat });
          assert.deepEqual(
            items.map((message) => message.id),
            ['P', 'L'],
          );
        }
      }),
    );
  });
};
