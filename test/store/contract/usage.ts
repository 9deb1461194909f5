/** The contract of usage: what devices did, by the hour and the day. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { intervalsOf, type Usage } from '../../../src/domain/usage.ts';
import { type OpenStore, dayMs, hook, received, record, withStore } from './fixture.ts';

const hour = 3_600_000;
const nothing = { sent: 0, received: 0, failed: 0, failedPosts: 0 };
const none = { delivered: 0, pending: 0, failed: 0 };

const busy = (usage: readonly Usage[]): readonly Usage[] =>
  usage.filter(
    ({ sent, received: read, failed, failedPosts, deliveries: { delivered, pending, failed: undelivered } }) =>
      [sent, read, failed, failedPosts, delivered, pending, undelivered].some((count) => count > 0),
  );

export const usageContract = (open: OpenStore): void => {
  describe('usage', () => {
    it(
      'counts messages, deliveries and failed posts of a device and of a user, in whole intervals without gaps',
      withStore(open, async ({ stores, clock, device, userId }) => {
        const start = clock.now();
        const [{ id }, other] = [await device(hook), await device()];
        const own = (name: string, at: number) => record(name, { timestamp: at, acceptedAt: at });
        const theirs = (name: string, at: number) =>
          record(name, { direction: 'in', state: 'delivered', timestamp: at, acceptedAt: null, deliveredAt: at });
        await stores.changes.commit(id, {
          messages: [
            own('S1', start),
            own('S2', start + hour - 1),
            own('S3', start + hour),
            theirs('R1', start),
            record('F1', { state: 'failed', timestamp: start, acceptedAt: null, failedAt: start }),
            record('P1', { state: 'pending', timestamp: start, acceptedAt: null }),
          ],
          facts: [received('R1')],
        });
        await stores.changes.commit(other.id, { messages: [theirs('R2', start + 1)] });
        const [due] = await stores.outbox.claim({ now: start, leaseUntil: start + 1, limit: 1, exceptWebhooks: [] });
        const failure = {
          webhookId: due!.webhookId,
          isPrimary: true,
          status: 500,
          error: 'it answered 500',
          durationMs: 1,
          response: null,
        };
        await clock.advance(hour);
        await stores.outbox.record([
          {
            seq: due!.seq,
            deviceId: id,
            state: 'failed',
            attempts: 1,
            at: clock.now(),
            nextAttemptAt: null,
            ...failure,
          },
        ]);
        const hours = { by: 'hour', since: start - hour + 1, until: start + 2 * hour } as const;
        const counted = await stores.usage.ofDevice(id, hours);
        assert.deepEqual(
          counted.map(({ from }) => from),
          [start - hour, start, start + hour, start + 2 * hour],
        );
        const first = {
          from: start,
          sent: 2,
          received: 1,
          failed: 1,
          deliveries: { ...none, failed: 1 },
          failedPosts: 0,
        };
        const second = { ...nothing, from: start + hour, sent: 1, deliveries: none, failedPosts: 1 };
        assert.deepEqual(busy(counted), [first, second]);
        assert.deepEqual(busy(await stores.usage.ofUser(userId, hours)), [{ ...first, received: 2 }, second]);
        const days = { by: 'day', since: start, until: start + dayMs - 1 } as const;
        assert.deepEqual(await stores.usage.ofDevice(id, days), [{ ...first, sent: 3, failedPosts: 1 }]);
      }),
    );

    it('has intervals that begin at whole hours and days of UTC', () => {
      const noon = Date.UTC(2026, 0, 1, 12, 30);
      assert.deepEqual(intervalsOf({ by: 'hour', since: noon, until: noon }), [Date.UTC(2026, 0, 1, 12)]);
      assert.equal(intervalsOf({ by: 'day', since: noon - 30 * dayMs, until: noon }).length, 31);
    });
  });
};
