/** The contract of kept media: a row with its message, one fetch after the other, and an end with the message. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { noMediaDetails } from '../../../src/domain/messages/parts.ts';
import { type Fixture, type OpenStore, bytes, chatA, chatB, record, withStore } from './fixture.ts';

const media = { mimetype: 'image/png', bytes: 9, sha256: null, fileName: null, ...noMediaDetails };

const picture = (id: string, more: Partial<MessageRecord> = {}): MessageRecord =>
  record(id, { type: 'image', media, content: bytes('content'), state: 'delivered', ...more });

const keeping = async ({ stores, device }: Fixture): Promise<number> => {
  const { id } = await device();
  await stores.devices.update(id, { settings: { media: 'kept' } });
  return id;
};

/** Ids of the messages whose media waits, in their order. */
const waiting = async ({ stores, clock }: Fixture, id: number): Promise<string[]> => {
  const seen: number[] = [];
  const ids: string[] = [];
  for (;;) {
    const next = await stores.keptMedia.next(id, clock.now(), seen);
    if (next === null) return ids;
    seen.push(next.n);
    ids.push(next.message.id);
  }
};

const pieces = { length: 26, hashes: ['a'] };

export const keptMediaContract = (open: OpenStore): void => {
  describe('kept media', () => {
    it(
      'waits for every message with media of a device that keeps it, live ones first, and for no other',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const other = await device();
        const id = await keeping(fixture);
        for (const each of [other.id, id]) {
          await stores.changes.commit(each, {
            messages: [
              picture('old', { historic: true }),
              picture('first'),
              record('text'),
              picture('once', { viewOnce: true }),
              picture('ours', { direction: 'out', state: 'pending' }),
              picture('of the phone', { direction: 'out', state: 'accepted' }),
              picture('first', { chat: chatB }),
            ],
          });
        }
        await stores.changes.commit(id, { messages: [picture('first')] });
        assert.deepEqual(await waiting(fixture, id), ['first', 'of the phone', 'first', 'old']);
        assert.deepEqual(await waiting(fixture, other.id), []);
        assert.deepEqual(await stores.keptMedia.due(clock.now()), [id]);
        assert.deepEqual(await stores.keptMedia.due(clock.now() - 1), []);
        assert.equal(await stores.keptMedia.keepers(), 1);
        assert.deepEqual(await stores.keptMedia.counts(3), { waiting: 3, failed: 0 });
      }),
    );

    it(
      'waits for content that comes later, also after another start',
      withStore(open, async (fixture) => {
        const id = await keeping(fixture);
        const { stores } = fixture;
        const withheld = record('late', { content: null, unavailable: 'undecryptable' });
        await stores.changes.commit(id, { messages: [withheld] });
        assert.deepEqual(await waiting(fixture, id), []);
        const arrived = picture('late');
        await stores.changes.commit(id, { messageChanges: [{ messageId: 'late', chat: chatA, arrived }] });
        await fixture.reopen();
        assert.deepEqual(await waiting(fixture, id), ['late']);
      }),
    );

    it(
      'is kept, put off, given up and fetched again',
      withStore(open, async (fixture) => {
        const id = await keeping(fixture);
        const { stores, clock } = fixture;
        await stores.changes.commit(id, { messages: [picture('A'), picture('B')] });
        const { keptMedia } = stores;
        const first = (await keptMedia.next(id, clock.now(), []))!;
        assert.equal(await keptMedia.find(id, 'A', chatA), null);
        assert.equal(await keptMedia.markKept(first, 9, pieces), true);
        assert.equal(await keptMedia.markKept(first, 9, pieces), false);
        assert.equal(await keptMedia.isKept(first.n), true);
        const { n, file } = first;
        assert.deepEqual(await keptMedia.find(id, 'A', chatA), { n, deviceId: id, file, bytes: 9, pieces });
        const second = (await keptMedia.next(id, clock.now(), []))!;
        await keptMedia.postpone(second.n, clock.now() + 1_000, 1);
        assert.equal(await keptMedia.next(id, clock.now(), []), null);
        await clock.advance(1_000);
        assert.equal((await keptMedia.next(id, clock.now(), []))?.attempts, 1);
        await keptMedia.markFailed(second.n);
        assert.deepEqual(await keptMedia.counts(10), { waiting: 0, failed: 1 });
        assert.equal(await keptMedia.findFailed(id, 'B', chatA), second.n);
        await keptMedia.fetchAgain(second.n, clock.now());
        await keptMedia.fetchAgain(first.n, clock.now());
        assert.deepEqual(await waiting(fixture, id), ['A', 'B']);
      }),
    );

    it(
      'is fetched again once its message has better media, whatever was being fetched',
      withStore(open, async (fixture) => {
        const id = await keeping(fixture);
        const { stores, clock } = fixture;
        const { keptMedia, changes } = stores;
        await changes.commit(id, { messages: [picture('A')] });
        const inHd = { ...media, width: 4_000 };
        const better = { messageId: 'A', chat: chatA, media: inHd, content: Buffer.from('better') };
        const early = (await keptMedia.next(id, clock.now(), []))!;
        await changes.commit(id, { messageChanges: [better] });
        assert.equal(await keptMedia.markKept(early, 9, pieces), false);
        const next = (await keptMedia.next(id, clock.now(), []))!;
        assert.deepEqual([next.message.media, Buffer.from(next.message.content!).toString()], [inHd, 'better']);
        assert.equal(await keptMedia.markKept(next, 9, pieces), true);
        await changes.commit(id, { messageChanges: [better] });
        assert.equal(await keptMedia.find(id, 'A', chatA), null);
        assert.equal((await keptMedia.next(id, clock.now(), []))?.file, next.file);
      }),
    );

    it(
      'ends with its message: revoked, past its retention, or of a device that is deleted',
      withStore(open, async (fixture) => {
        const id = await keeping(fixture);
        const { stores, clock } = fixture;
        const { keptMedia, changes, retention } = stores;
        await changes.commit(id, { messages: ['A', 'B', 'C'].map((name) => picture(name)) });
        const a = (await keptMedia.next(id, clock.now(), []))!;
        await keptMedia.markKept(a, 9, pieces);
        await changes.commit(id, { messageChanges: [{ messageId: 'A', chat: chatA, deletedAt: 5 }] });
        assert.equal(await keptMedia.find(id, 'A', chatA), null);
        assert.deepEqual(await keptMedia.gone(10), [{ n: a.n, deviceId: id, file: a.file }]);
        await keptMedia.forget([a.n]);
        assert.deepEqual(await keptMedia.gone(10), []);
        await clock.advance(1_000);
        await changes.commit(id, { messages: [picture('D')] });
        const none = { events: 0, inbox: 0, idempotency: 0 };
        await retention.prune({ ...none, messages: clock.now() });
        assert.equal((await keptMedia.gone(10)).length, 2);
        assert.deepEqual(await waiting(fixture, id), ['D']);
        await stores.devices.delete(id);
        assert.equal((await keptMedia.gone(10)).length, 3);
        assert.equal(await keptMedia.keepers(), 0);
      }),
    );
  });
};
