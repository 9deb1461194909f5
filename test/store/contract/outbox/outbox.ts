/** The contract of the outbox: order within a chat, fairness between devices, leases and health. */
import { seqOf } from '../../../../src/store/base/ids.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, chatA, chatB, hook, received, timeoutEvent, withStore } from '../fixture.ts';
import { claimAll, leaseMs, messageIds, refused, result } from './outbox.steps.ts';

export const outboxContract = (open: OpenStore): void => {
  describe('outbox', () => {
    it(
      'gets the events that the device wants, with all that posting needs',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device({ ...hook, webhookEvents: ['message.received'] });
        const silent = await device();
        const [event] = await stores.changes.commit(id, {
          facts: [received('M1'), { event: timeoutEvent, at: 1 }],
        });
        await stores.changes.commit(silent.id, { facts: [received('M1')] });
        const due = await claimAll(fixture);
        const deliveryId = event!.id.replace('evt_', 'dlv_');
        const webhook = await stores.webhooks.primary(id);
        const [{ broughtForward = false, ...first }] = due as [(typeof due)[number]];
        assert.deepEqual(
          [due.length, broughtForward, first],
          [
            1,
            false,
            {
              id: deliveryId,
              seq: seqOf('evt', id, event!.id),
              deviceId: id,
              webhookId: webhook.id,
              webhook,
              userId: 1,
              orderKey: chatA,
              attempts: 0,
              event,
            },
          ],
        );
        assert.deepEqual(await stores.outbox.find(id, deliveryId), {
          id: deliveryId,
          deviceId: id,
          eventId: event!.id,
          eventType: 'message.received',
          state: 'pending',
          attempts: 0,
          nextAttemptAt: clock.now(),
          createdAt: clock.now(),
          deliveredAt: null,
          lastAttemptAt: null,
          lastStatus: null,
          lastError: null,
          lastDurationMs: null,
          lastResponse: null,
          lastHeaders: null,
          late: false,
        });
        assert.equal(await stores.outbox.find(silent.id, deliveryId), null);
        assert.equal(await stores.outbox.find(id, 'dlv_x'), null);
      }),
    );

    it(
      'gives one of a chat at a time, in order, and other chats beside it',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, {
          facts: [received('A1'), received('A2'), received('B1', chatB), received('A3')],
        });
        const first = await claimAll(fixture);
        assert.deepEqual(messageIds(first), ['A1', 'B1']);
        assert.deepEqual(await claimAll(fixture), []);
        await stores.outbox.record(first.map((due) => result(fixture, due)));
        const second = await claimAll(fixture);
        assert.deepEqual(messageIds(second), ['A2']);
        await stores.changes.commit(id, { facts: [received('B2', chatB)] });
        assert.deepEqual(messageIds(await claimAll(fixture)), ['B2']);
        await stores.outbox.record(second.map((due) => result(fixture, due)));
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A3']);
      }),
    );

    it(
      'holds a chat back while its head waits to be tried again, and lets it go on after a failure',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('A2'), received('B1', chatB)] });
        const [a1] = await claimAll(fixture);
        const nextAttemptAt = clock.now() + 5000;
        await stores.outbox.record([result(fixture, a1!, { ...refused, state: 'pending', nextAttemptAt })]);
        assert.deepEqual(await claimAll(fixture), []);
        assert.equal(await stores.outbox.nextDueAt(), nextAttemptAt);
        await clock.advance(4999);
        assert.deepEqual(await claimAll(fixture), []);
        await clock.advance(1);
        const [again] = await claimAll(fixture);
        assert.deepEqual([again?.id, again?.attempts], [a1!.id, 1]);
        await stores.outbox.record([result(fixture, again!, { ...refused, state: 'failed' })]);
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A2']);
        const failed = await stores.outbox.find(id, a1!.id);
        assert.equal(failed?.state, 'failed');
        assert.equal(failed?.nextAttemptAt, null);
        assert.equal(failed?.attempts, 2);
        assert.equal(failed?.lastStatus, 500);
        assert.equal(failed?.lastError, 'HTTP 500');
        assert.equal(failed?.lastResponse, 'no');
        assert.equal(failed?.lastDurationMs, 12);
        assert.equal(failed?.lastAttemptAt, clock.now());
      }),
    );

    it(
      'gives a claim back when its lease has run out',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        assert.equal((await claimAll(fixture)).length, 1);
        await clock.advance(leaseMs - 1);
        assert.equal((await claimAll(fixture)).length, 0);
        await clock.advance(1);
        assert.equal((await claimAll(fixture)).length, 1);
      }),
    );

    it(
      'shares a claim out among the devices',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const busy = (await device(hook)).id;
        const events = Array.from({ length: 300 }, (_, index) => received(`A${index}`, `${index}@s.whatsapp.net`));
        await stores.changes.commit(busy, { facts: events });
        await clock.advance(10);
        const others = [(await device(hook)).id, (await device(hook)).id];
        for (const other of others) await stores.changes.commit(other, { facts: [received('B')] });
        const due = await claimAll(fixture);
        for (const other of others) assert.ok(due.some(({ deviceId }) => deviceId === other));
        const ofBusy = due.filter(({ deviceId }) => deviceId === busy).length;
        assert.ok(ofBusy >= 1 && ofBusy <= 64, `${ofBusy} of the busy one`);
      }),
    );

    it(
      'lets busy devices take turns when a claim is small, until all is taken',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const ids = [(await device(hook)).id, (await device(hook)).id, (await device(hook)).id];
        for (const id of ids) {
          const events = Array.from({ length: 50 }, (_, index) => received(`A${index}`, `${index}@s.whatsapp.net`));
          await stores.changes.commit(id, { facts: events });
        }
        const served = new Set<number>();
        for (let turn = 0; turn < 3; turn += 1) {
          await clock.advance(1);
          for (const { deviceId } of await claimAll(fixture, { limit: 10 })) served.add(deviceId);
        }
        assert.deepEqual(
          [...served].sort((a, b) => a - b),
          ids,
        );
        let taken = 30;
        for (;;) {
          await clock.advance(1);
          const due = await claimAll(fixture, { limit: 40 });
          if (due.length === 0) break;
          taken += due.length;
        }
        assert.equal(taken, 150);
      }),
    );

    it(
      'leaves out the devices it is told to, and takes no more than it is asked for',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const [one, two] = [(await device(hook)).id, (await device(hook)).id];
        for (const id of [one, two]) {
          await stores.changes.commit(id, { facts: [received('A'), received('B', chatB)] });
        }
        const due = await claimAll(fixture, { exceptWebhooks: [one] });
        assert.deepEqual(
          due.map(({ deviceId }) => deviceId),
          [two, two],
        );
        assert.deepEqual(await claimAll(fixture, { exceptUsers: [fixture.userId] }), []);
        assert.equal((await claimAll(fixture, { limit: 1 })).length, 1);
      }),
    );

    it(
      'keeps what is pending while there is no URL, and posts it when there is one again',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        await stores.devices.update(id, { webhookUrl: null });
        assert.deepEqual(await claimAll(fixture), []);
        assert.equal(await stores.outbox.nextDueAt(), null);
        await stores.changes.commit(id, { facts: [received('A2')] });
        assert.equal((await stores.outbox.list(id, { limit: 5, cursor: null })).items.length, 1);
        await stores.devices.update(id, { webhookUrl: 'https://elsewhere.example.com' });
        assert.equal(await stores.outbox.nextDueAt(), clock.now());
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A1']);
      }),
    );

    it(
      'is not claimed for a disabled webhook, and waits, with what happens meanwhile, until it is started again',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('A2')] });
        const [a1] = await claimAll(fixture);
        await stores.webhooks.disable(await stores.webhooks.primary(id), fixture.clock.now());
        await stores.outbox.record([result(fixture, a1!, { status: 410, state: 'failed', error: 'gone' })]);
        await stores.changes.commit(id, { facts: [received('A3'), received('B1', chatB)] });
        assert.deepEqual(await claimAll(fixture), []);
        assert.equal(await stores.outbox.nextDueAt(), null);
        await stores.devices.update(id, hook);
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A2', 'B1']);
      }),
    );

    it(
      "records the webhook's health",
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('B1', chatB)] });
        const [a, b] = await claimAll(fixture);
        const began = clock.now();
        await stores.outbox.record([result(fixture, a!, { ...refused, state: 'pending', nextAttemptAt: began + 10 })]);
        await clock.advance(10);
        const [again] = await claimAll(fixture);
        await stores.outbox.record([
          result(fixture, again!, { ...refused, state: 'pending', nextAttemptAt: began + 99 }),
        ]);
        const failing = await stores.webhooks.primary(id);
        assert.deepEqual([failing.failingSince, failing.lastSuccessAt], [began, null]);
        await stores.outbox.record([result(fixture, b!)]);
        const well = await stores.webhooks.primary(id);
        assert.deepEqual([well.failingSince, well.lastSuccessAt], [null, clock.now()]);
        const delivered = await stores.outbox.find(id, b!.id);
        assert.deepEqual([delivered?.state, delivered?.deliveredAt], ['delivered', clock.now()]);
      }),
    );

    it(
      'ignores what came of a delivery that is gone',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        const due = await claimAll(fixture);
        await stores.devices.delete(id);
        await stores.outbox.record(due.map((each) => result(fixture, each)));
        assert.equal(await stores.outbox.nextDueAt(), null);
      }),
    );

    it(
      'keeps its order across a restart',
      withStore(open, async (fixture) => {
        const { stores, device, reopen } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('A2')] });
        const [a1] = await claimAll(fixture);
        await stores.outbox.record([result(fixture, a1!)]);
        await reopen();
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A2']);
      }),
    );
  });
};
