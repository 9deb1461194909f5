/** The contract of deliveries as a user sees them: listed, and retried by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, chatB, hook, received, withStore } from '../fixture.ts';
import { makeWebhook } from '../webhooks.ts';
import { assertIdle, claimAll, leaseMs, messageIds, refused, result } from './outbox.steps.ts';

export const deliveriesContract = (open: OpenStore): void => {
  describe('deliveries', () => {
    it(
      'lists newest first, in pages, by state',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        const events = await stores.changes.commit(id, {
          facts: Array.from({ length: 7 }, (_, index) => received(`A${index}`, `${index}@s.whatsapp.net`)),
        });
        const due = await claimAll(fixture);
        await stores.outbox.record(due.slice(0, 3).map((each) => result(fixture, each)));
        const newest = events.map((event) => event.id.replace('evt_', 'dlv_')).toReversed();
        const first = await stores.outbox.list(id, { limit: 4, cursor: null });
        const rest = await stores.outbox.list(id, { limit: 4, cursor: first.nextCursor });
        assert.deepEqual(
          [...first.items, ...rest.items].map((delivery) => delivery.id),
          newest,
        );
        assert.equal(rest.nextCursor, null);
        const delivered = await stores.outbox.list(id, { limit: 9, cursor: null, state: 'delivered' });
        assert.deepEqual(
          delivered.items.map((delivery) => delivery.id),
          newest.slice(4),
        );
        assert.equal((await stores.outbox.list(id, { limit: 9, cursor: null, state: 'failed' })).items.length, 0);
      }),
    );

    it(
      'tells an answer without a body from no answer, and a delivery in one statement from many',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        const count = 71;
        const names = Array.from({ length: count }, (_, index) => `A${index}`);
        const events = names.map((name) => received(name, `${name}@s.whatsapp.net`));
        const written = await stores.changes.commit(id, { facts: [...events, ...events.slice(0, 5)] });
        assert.equal(written.length, count);
        const twice = await stores.changes.commit(id, { facts: [events[3]!, received('B'), events[4]!] });
        assert.deepEqual(
          twice.map(({ event }) => event.type === 'message.received' && event.data.message.id),
          ['B'],
        );
        const due = await claimAll(fixture, { limit: 2 });
        await stores.outbox.record([
          result(fixture, due[0]!, { response: '' }),
          result(fixture, due[1]!, { state: 'failed', status: null, error: 'refused', response: null }),
        ]);
        const { items } = await stores.outbox.list(id, { limit: 100, cursor: null });
        assert.equal(items.length, count + 1);
        const [answered, silent] = due.map((each) => items.find((item) => item.id === each.id)!);
        assert.deepEqual([answered!.lastStatus, answered!.lastError, answered!.lastResponse], [200, null, '']);
        assert.deepEqual([silent!.lastStatus, silent!.lastError, silent!.lastResponse], [null, 'refused', null]);
        assert.equal(items.filter(({ lastResponse }) => lastResponse === null).length, count);
      }),
    );

    it(
      'retries one delivery, with a schedule that starts anew',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('A2')] });
        const [a1] = await claimAll(fixture);
        await stores.outbox.record([result(fixture, a1!, { ...refused, state: 'failed', attempts: 13 })]);
        await clock.advance(5);
        const retried = await stores.outbox.retry(id, a1!.id, clock.now());
        assert.deepEqual([retried?.state, retried?.attempts, retried?.nextAttemptAt], ['pending', 0, clock.now()]);
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A1']);
        assert.equal(await stores.outbox.retry(id, a1!.id.replace(/.$/, 'z'), 1), null);
        assert.equal(await stores.outbox.retry(id, 'dlv_x', 1), null);
      }),
    );

    it(
      'brings a waiting delivery forward, and does not double one that is on its way',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        const [a1] = await claimAll(fixture);
        await stores.outbox.retry(id, a1!.id, clock.now());
        assert.deepEqual(await claimAll(fixture), []);
        const nextAttemptAt = clock.now() + 1_000_000;
        await stores.outbox.record([result(fixture, a1!, { ...refused, state: 'pending', nextAttemptAt })]);
        assert.deepEqual(await claimAll(fixture), []);
        await stores.outbox.retry(id, a1!.id, clock.now());
        const [again] = await claimAll(fixture);
        assert.deepEqual([again?.id, again?.attempts], [a1!.id, 1]);
      }),
    );

    it(
      'gives what waits for its next attempt at once where the URL is set anew, or the webhook is enabled',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        const wide = await makeWebhook(fixture, null);
        await stores.changes.commit(id, { facts: [received('1')] });
        const claimNext = () => claimAll(fixture);
        const dueOf = async () => (await claimNext()).map(({ webhookId }) => webhookId);
        const fail = async (): Promise<void> => {
          const later = { state: 'pending', nextAttemptAt: clock.now() + 3_600_000, ...refused } as const;
          await stores.outbox.record((await claimNext()).map((each) => result(fixture, each, later)));
        };
        await fail();
        assert.deepEqual(await dueOf(), []);
        await stores.webhooks.update(wide, { ordered: false });
        assert.deepEqual(await dueOf(), [], 'another change makes nothing due');
        await stores.webhooks.update(wide, { url: 'https://hooks.example.com/right' });
        await stores.devices.update(id, { webhookUrl: 'https://hooks.example.com/right' });
        assert.deepEqual(
          (await claimNext()).map(({ webhookId, broughtForward }) => [webhookId, broughtForward]),
          [
            [(await stores.webhooks.primary(id)).id, true],
            [wide.id, true],
          ],
        );
        await clock.advance(leaseMs + 1);
        await fail();
        await stores.webhooks.update(wide, { enabled: false });
        await stores.webhooks.update(wide, { enabled: true });
        assert.deepEqual(await dueOf(), [wide.id]);
      }),
    );

    it(
      'lets a chat go on after two minutes of failures, and brings forward what waits for a recovered endpoint',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('A2'), received('B1', chatB)] });
        const failing = { ...refused, state: 'pending' } as const;
        const [a1, b1] = await claimAll(fixture);
        const { webhookId } = a1!;
        const later = clock.now() + 60_000;
        const soon = { ...failing, nextAttemptAt: later };
        assert.deepEqual(await stores.outbox.record([result(fixture, a1!, soon), result(fixture, b1!, soon)]), []);
        await clock.advance(60_000);
        const [again] = await claimAll(fixture, { limit: 1 });
        const nextAttemptAt = clock.now() + 300_000;
        await stores.outbox.record([result(fixture, again!, { ...failing, nextAttemptAt })]);
        assert.deepEqual([again!.id, (await stores.outbox.find(id, a1!.id))?.late], [a1!.id, true]);
        const others = await claimAll(fixture);
        assert.deepEqual(messageIds(others).toSorted(), ['A2', 'B1']);
        const recovered = await stores.outbox.record(others.map((due) => result(fixture, due)));
        assert.deepEqual(recovered, [{ webhookId, wasLong: true }]);
        assert.deepEqual(await claimAll(fixture), []);
        await clock.advance(1);
        assert.equal(await stores.outbox.bringForward(webhookId, clock.now()), 1);
        const [forward] = await claimAll(fixture);
        assert.deepEqual([forward!.id, forward!.attempts, forward!.broughtForward], [a1!.id, 2, true]);
        await stores.outbox.record([result(fixture, forward!)]);
        assert.equal((await stores.outbox.find(id, a1!.id))?.state, 'delivered');
        const page = await stores.outbox.attempts(id, a1!.id, { limit: 2, cursor: null });
        const rest = await stores.outbox.attempts(id, a1!.id, { limit: 2, cursor: page!.nextCursor });
        const statuses = [...page!.items, ...rest!.items].map(({ status, response, headers }) => [
          status,
          response,
          headers,
        ]);
        assert.deepEqual(statuses, [
          [200, 'ok', null],
          [500, 'no', refused.headers],
          [500, 'no', refused.headers],
        ]);
        await assertIdle(fixture);
        await stores.devices.delete(id);
      }),
    );

    it(
      'retries all that have failed since a time',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        const events = Array.from({ length: 1200 }, (_, index) =>
          received(`A${index}`, `${index % 700}@s.whatsapp.net`),
        );
        await stores.changes.commit(id, { facts: events });
        let failed = 0;
        for (;;) {
          await clock.advance(1);
          const due = await claimAll(fixture);
          if (due.length === 0) break;
          await stores.outbox.record(due.map((each) => result(fixture, each, { ...refused, state: 'failed' })));
          failed += due.length;
        }
        assert.equal(failed, 1200);
        await assertIdle(fixture);
        assert.equal(await stores.outbox.retryFailed(id, clock.now() + 1, clock.now()), 0);
        assert.equal(await stores.outbox.retryFailed(id, null, clock.now()), 1200);
        assert.equal(await stores.outbox.retryFailed(id, null, clock.now()), 0);
        assert.ok((await claimAll(fixture)).length > 0);
      }),
    );
  });
};
