/** The contract of retention: what is old goes, what is undelivered stays. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AttemptResult, DeliveryState } from '../../../src/domain/delivery.ts';
import { type Fixture, type OpenStore, bytes, chatB, dayMs, hook, received, record, withStore } from './fixture.ts';

const pruneAll = ({ stores, clock }: Fixture): Promise<number> => {
  const now = clock.now();
  return stores.retention.prune({ events: now, messages: now, inbox: now, idempotency: now });
};

/** Posts what is due, with one outcome for all. */
const settle = async ({ stores, clock }: Fixture, state: DeliveryState): Promise<void> => {
  const now = clock.now();
  const due = await stores.outbox.claim({ now, leaseUntil: now + 1000, limit: 100, exceptWebhooks: [] });
  await stores.outbox.record(
    due.map(({ seq, deviceId, webhookId, webhook: { isPrimary } }): AttemptResult => {
      const rest = { nextAttemptAt: null, at: now, status: 500, error: null, durationMs: 1, response: null };
      return { seq, deviceId, webhookId, isPrimary, state, attempts: 1, ...rest };
    }),
  );
};

export const retentionContract = (open: OpenStore): void => {
  describe('retention', () => {
    it(
      'deletes what is older, and only that, in as many steps as it takes',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device();
        const count = 1100;
        await stores.changes.commit(id, {
          messages: Array.from({ length: count }, (_, index) => record(`M${index}`)),
          facts: Array.from({ length: count }, (_, index) => received(`M${index}`)),
          inbox: [{ key: 'old', plaintext: bytes('p') }],
        });
        await stores.idempotency.begin({
          deviceId: id,
          key: 'k',
          fingerprint: 'f',
          messageId: 'm',
          runId: 'r',
          now: 5,
        });
        await clock.advance(1000);
        const [kept] = await stores.changes.commit(id, {
          messages: [record('new')],
          facts: [received('new')],
          inbox: [{ key: 'new', plaintext: bytes('p') }],
        });
        assert.equal(await pruneAll(fixture), count * 2 + 3, 'with the creation of the device');
        assert.deepEqual((await stores.events.listAfter(id, { limit: 10, cursor: null })).items, [kept]);
        assert.equal((await stores.messages.list(id, { limit: 10, cursor: null })).items.length, 1);
        assert.equal(await stores.credentials.readInbox(id, 'old'), null);
        assert.notEqual(await stores.credentials.readInbox(id, 'new'), null);
        assert.equal(await pruneAll(fixture), 0);
      }),
    );

    it(
      'goes by the time of storing: an old event that has just come in is new',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device();
        await clock.advance(dayMs);
        await stores.changes.commit(id, { facts: [received('M1', chatB, { at: 1 })], messages: [record('M1')] });
        assert.equal(await pruneAll(fixture), 1, 'the creation of the device');
        assert.equal((await stores.events.listAfter(id, { limit: 10, cursor: null })).items.length, 1);
      }),
    );

    it(
      'keeps a pending delivery for ever, a failed one for 30 days, a delivered one not',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('delivered')] });
        await settle(fixture, 'delivered');
        await stores.changes.commit(id, { facts: [received('failed')] });
        await settle(fixture, 'failed');
        await stores.changes.commit(id, { facts: [received('pending')] });
        await clock.advance(dayMs);
        assert.equal(await pruneAll(fixture), 2, 'with the creation of the device');
        const states = async () =>
          (await stores.outbox.list(id, { limit: 9, cursor: null })).items.map(({ state }) => state);
        assert.deepEqual(await states(), ['pending', 'failed']);
        await clock.advance(30 * dayMs);
        assert.equal(await pruneAll(fixture), 1);
        assert.deepEqual(await states(), ['pending']);
        await clock.advance(300 * dayMs);
        assert.equal(await pruneAll(fixture), 0);
        await settle(fixture, 'delivered');
        assert.equal(await pruneAll(fixture), 1);
      }),
    );

    it(
      'gives up after 30 days on what nobody takes, and leaves the queue sound',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('old')] });
        await stores.devices.update(id, { webhookUrl: null });
        await clock.advance(30 * dayMs);
        assert.equal(await pruneAll(fixture), 1, 'the creation of the device');
        await stores.devices.update(id, hook);
        await stores.changes.commit(id, { facts: [received('new')] });
        await stores.devices.update(id, { webhookUrl: null });
        await clock.advance(1);
        assert.equal(await pruneAll(fixture), 1);
        await stores.devices.update(id, hook);
        const now = clock.now();
        const due = await stores.outbox.claim({ now, leaseUntil: now + 1, limit: 9, exceptWebhooks: [] });
        assert.equal(due.length, 1);
      }),
    );
  });
};
