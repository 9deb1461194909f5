/** The contract of fresh deliveries: claimed by the commit that writes them, for this process to post at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FreshDelivery, FreshTaker } from '../../../../src/domain/delivery.ts';
import type { Stores } from '../../../../src/domain/stores.ts';
import { type OpenStore, chatB, hook, received, withStore } from '../fixture.ts';
import { assertIdle, claimAll, leaseMs, messageIds, refused, result } from './outbox.steps.ts';

/** What is handed over, from now on. */
const takeAll = ({ outbox }: Stores, accepts: FreshTaker['accepts'] = () => true): FreshDelivery[] => {
  const taken: FreshDelivery[] = [];
  outbox.takeFresh({ accepts, take: (due) => void taken.push(due) });
  return taken;
};

export const freshContract = (open: OpenStore): void => {
  describe('fresh deliveries', () => {
    it(
      'are handed over after their commit, with what their webhook needs, and no claim finds them',
      withStore(open, async (fixture) => {
        const { stores, device, clock } = fixture;
        const { id } = await device(hook);
        const taken = takeAll(stores);
        const other = await stores.webhooks.create(fixture.userId, id, {
          url: 'https://hooks.example.com/other',
          events: ['message.received'],
          chats: null,
          headers: { 'x-key': 'secret' },
          enabled: true,
          ordered: false,
          settleSeconds: null,
        });
        const [event] = await stores.changes.commit(id, { facts: [received('A1')] });
        assert.equal(taken.length, 2);
        for (const due of taken) {
          const { secret, headers, url } = await stores.webhooks.get(due.webhookId);
          assert.deepEqual([due.webhook.secret, due.webhook.headers, due.webhook.url], [secret, headers, url]);
          assert.deepEqual([due.event, due.attempts], [event, 0]);
          assert.ok(due.leaseUntil > clock.now());
        }
        assert.ok(taken.some(({ webhookId }) => webhookId === other.id));
        assert.deepEqual(await claimAll(fixture), []);
        const { items } = await stores.outbox.list(id, { limit: 9, cursor: null });
        assert.deepEqual(
          items.map(({ state, nextAttemptAt }) => [state, nextAttemptAt]),
          [['pending', clock.now()]],
        );
        await stores.outbox.record(taken.map((due) => result(fixture, due)));
        assert.equal((await stores.outbox.find(id, items[0]!.id))?.state, 'delivered');
        await assertIdle(fixture);
        await stores.outbox.retry(id, items[0]!.id, clock.now());
        assert.equal(await stores.outbox.nextDueAt(), clock.now());
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A1']);
      }),
    );

    it(
      'follow each other in one queue, and are not claimed behind what waits there',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        const taken = takeAll(stores);
        await stores.changes.commit(id, { facts: [received('A2'), received('B1', chatB)] });
        await stores.changes.commit(id, { facts: [received('B2', chatB)] });
        assert.deepEqual(messageIds(taken), ['B1', 'B2']);
        const due = await claimAll(fixture, { runOf: () => 9 });
        assert.deepEqual(messageIds([...due, ...due[0]!.rest!]), ['A1', 'A2']);
        await stores.outbox.record([...taken, ...due, ...due[0]!.rest!].map((each) => result(fixture, each)));
        await stores.changes.commit(id, { facts: [received('A3')] });
        assert.deepEqual(messageIds(taken), ['B1', 'B2', 'A3']);
      }),
    );

    it(
      'hold back one that is not accepted behind them',
      withStore(open, async (fixture) => {
        const { stores, device, clock } = fixture;
        const { id } = await device(hook);
        let accepted = true;
        const taken = takeAll(stores, () => accepted);
        await stores.changes.commit(id, { facts: [received('A1')] });
        await stores.changes.commit(id, { facts: [received('A2')] });
        accepted = false;
        await stores.changes.commit(id, { facts: [received('A3')] });
        await clock.advance(1);
        assert.deepEqual(await claimAll(fixture), []);
        const [a1, a2] = taken.map((due) => result(fixture, due));
        await stores.outbox.record([a1!]);
        assert.deepEqual(await claimAll(fixture), []);
        await stores.outbox.record([a2!]);
        const due = await claimAll(fixture);
        assert.deepEqual(messageIds(due), ['A3']);
        await stores.outbox.record(due.map((each) => result(fixture, each)));
        await assertIdle(fixture);
      }),
    );

    it(
      'go to their queue behind one that fails, and when they are released',
      withStore(open, async (fixture) => {
        const { stores, device, clock } = fixture;
        const { id } = await device(hook);
        const taken = takeAll(stores);
        await stores.changes.commit(id, { facts: ['A1', 'A2', 'A3'].map((name) => received(name)) });
        const [a1] = taken;
        const nextAttemptAt = clock.now() + 5000;
        await stores.outbox.record([result(fixture, a1!, { ...refused, state: 'pending', nextAttemptAt })]);
        const ids = await stores.outbox.release([a1!]);
        assert.deepEqual(
          [...ids].sort(),
          taken.slice(1).map((due) => due.id),
        );
        await stores.changes.commit(id, { facts: [received('A4')] });
        assert.equal(taken.length, 3);
        assert.deepEqual(await claimAll(fixture), []);
        await clock.advance(5000);
        const due = await claimAll(fixture, { runOf: () => 9 });
        assert.deepEqual(messageIds([...due, ...due[0]!.rest!]), ['A1', 'A2', 'A3', 'A4']);
        await stores.changes.commit(id, { facts: [received('B1', chatB), received('B2', chatB)] });
        await stores.outbox.release(taken.slice(3));
        assert.deepEqual(messageIds(await claimAll(fixture)), ['B1']);
      }),
    );

    it(
      'are claimed again after the death of their process, and once their time is over',
      withStore(open, async (fixture) => {
        const { stores, device, clock, reopen } = fixture;
        const { id } = await device(hook);
        takeAll(stores);
        const claimNext = async (): Promise<string[]> => {
          await fixture.stores.outbox.nextDueAt();
          const due = await claimAll(fixture);
          await fixture.stores.outbox.record(due.map((each) => result(fixture, each)));
          return messageIds(due);
        };
        await stores.changes.commit(id, { facts: [received('A1'), received('A2'), received('B1', chatB)] });
        const again = await reopen();
        const taken = takeAll(again);
        await again.changes.commit(id, { facts: [received('A3')] });
        assert.deepEqual(taken, [], 'it waits for those of the dead process');
        await clock.advance(leaseMs);
        assert.deepEqual((await claimNext()).sort(), ['A1', 'B1']);
        assert.deepEqual([await claimNext(), await claimNext()], [['A2'], ['A3']]);
        await again.changes.commit(id, { facts: [received('A4')] });
        assert.deepEqual(messageIds(taken), ['A4']);
        await clock.advance(leaseMs - 1);
        assert.deepEqual(await claimNext(), []);
        await clock.advance(1);
        assert.deepEqual(await claimNext(), ['A4']);
        await assertIdle(fixture);
      }),
    );

    it(
      'are none for a webhook that was stopped, has no URL or is not accepted',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device({ webhookUrl: null });
        const taken = takeAll(stores, ({ orderHash }, others) => others.every((each) => each.orderHash === orderHash));
        await stores.changes.commit(id, { facts: [received('A1')] });
        await stores.devices.update(id, hook);
        await stores.changes.commit(id, { facts: [received('B1', chatB), received('A2'), received('B2', chatB)] });
        assert.deepEqual(messageIds(taken), ['B1', 'B2']);
        await stores.webhooks.disable(await stores.webhooks.primary(id), 1);
        await stores.changes.commit(id, { facts: [received('C1', 'c@g.us')] });
        assert.equal(taken.length, 2);
      }),
    );
  });
};
