/** The contract of the outbox: order within a chat through crashes, retries by hand and long queues. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DueDelivery } from '../../../../src/domain/delivery.ts';
import { type Fixture, type OpenStore, chatA, chatB, hook, received, withStore } from '../fixture.ts';
import { assertIdle, claimAll, leaseMs, messageIds, refused, result } from './outbox.steps.ts';

/** Claims and records until nothing is due; what came, by chat. */
const drain = async (fixture: Fixture): Promise<Map<string, string[]>> => {
  const came: DueDelivery[] = [];
  for (;;) {
    await fixture.clock.advance(1);
    const due = await claimAll(fixture);
    if (due.length === 0) break;
    came.push(...due);
    await fixture.stores.outbox.record(due.map((each) => result(fixture, each)));
  }
  return new Map([...Map.groupBy(came, (due) => due.orderKey)].map(([chat, due]) => [chat, messageIds(due)]));
};

export const outboxOrderContract = (open: OpenStore): void => {
  describe('order in the outbox', () => {
    it(
      'loses nothing and keeps its order when much waits',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        const chats = Array.from({ length: 32 }, (_, chat) => `${chat}@s.whatsapp.net`);
        const ids = Array.from({ length: 30 }, (_, n) => `M${n}`);
        for (const name of ids) {
          await stores.changes.commit(id, { facts: chats.map((chat) => received(name, chat)) });
        }
        assert.deepEqual(await drain(fixture), new Map(chats.map((chat) => [chat, ids])));
        await assertIdle(fixture);
      }),
    );

    it(
      'gives a run of a chat under one claim, which holds its queue until all of it is recorded',
      withStore(open, async (fixture) => {
        const { stores, clock, device, reopen } = fixture;
        const { id } = await device(hook);
        const write = (...names: readonly string[]): Promise<unknown> =>
          stores.changes.commit(id, { facts: names.map((name) => received(name)) });
        const claimRun = async (): Promise<readonly DueDelivery[]> => {
          const [first, ...others] = await claimAll(fixture, { runOf: () => 3 });
          assert.deepEqual(others, []);
          return first === undefined ? [] : [first, ...(first.rest ?? [])];
        };
        await write('A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7');
        const run = await claimRun();
        assert.deepEqual(messageIds(run), ['A1', 'A2', 'A3']);
        const [a1, a2, a3] = run.map((due) => result(fixture, due));
        await stores.outbox.record([{ ...a1!, isContinued: true }]);
        assert.deepEqual(await claimRun(), [], 'the rest of the run is being posted');
        await stores.outbox.record([a2!, { ...a3!, ...refused, state: 'pending', nextAttemptAt: clock.now() + 5000 }]);
        assert.deepEqual(await claimRun(), [], 'the chat waits for the one that failed');
        await clock.advance(5000);
        const again = await claimRun();
        assert.deepEqual(messageIds(again), ['A3', 'A4', 'A5']);
        await stores.outbox.record([{ ...result(fixture, again[0]!), isContinued: true }]);
        // A process that has died posts again what it had not recorded.
        await clock.advance(leaseMs);
        await reopen();
        assert.deepEqual(messageIds(await claimRun()), ['A4', 'A5', 'A6']);
        await clock.advance(leaseMs);
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A4', 'A5', 'A6', 'A7']]]));
        await assertIdle(fixture);
      }),
    );

    it(
      'finds what is written in the moment in which its queue runs empty',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        for (const order of ['before', 'after'] as const) {
          await stores.changes.commit(id, { facts: [received(`${order} 1`)] });
          const due = await claimAll(fixture);
          const record = (): Promise<unknown> => stores.outbox.record(due.map((each) => result(fixture, each)));
          const write = (): Promise<unknown> => stores.changes.commit(id, { facts: [received(`${order} 2`)] });
          await Promise.all(order === 'before' ? [write(), record()] : [record(), write()]);
          assert.deepEqual(await drain(fixture), new Map([[chatA, [`${order} 2`]]]));
        }
      }),
    );

    it(
      'gives back what was not claimed in time, and what was claimed for longer than it is leased',
      withStore(open, async (fixture) => {
        const { stores, clock, device, reopen } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1'), received('B1', chatB), received('A2')] });
        await clock.advance(5 * leaseMs);
        const first = await claimAll(fixture, { limit: 1 });
        assert.deepEqual(messageIds(first), ['A1']);
        await clock.advance(leaseMs);
        const [again, other] = await claimAll(fixture);
        assert.deepEqual(messageIds([again!, other!]).sort(), ['A1', 'B1']);
        await stores.outbox.record([again!, other!].map((due) => result(fixture, due)));
        await reopen();
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A2']);
      }),
    );

    it(
      'puts one that is retried by hand in front of those behind it',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        const [failed] = await claimAll(fixture);
        await stores.outbox.record([result(fixture, failed!, { ...refused, state: 'failed' })]);
        await stores.changes.commit(id, { facts: [received('A2'), received('A3')] });
        await stores.outbox.retry(id, failed!.id, clock.now());
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A1', 'A2', 'A3']]]));
      }),
    );

    it(
      'posts one that has arrived again when it is retried by hand, though its queue has moved on',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: ['A1', 'A2', 'A3', 'A4'].map((name) => received(name)) });
        const [first] = await claimAll(fixture);
        await stores.outbox.record([result(fixture, first!)]);
        const [second] = await claimAll(fixture);
        await stores.outbox.retry(id, first!.id, clock.now());
        assert.deepEqual(messageIds(await claimAll(fixture)), ['A1']);
        await stores.outbox.record([first!, second!].map((due) => result(fixture, due)));
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A3', 'A4']]]));
      }),
    );

    it(
      'goes on where a queue stands after a crash, and after a record that came too late',
      withStore(open, async (fixture) => {
        const { stores, clock, device, reopen } = fixture;
        const { id } = await device(hook);
        const names = Array.from({ length: 6 }, (_, n) => `A${n}`);
        await stores.changes.commit(id, { facts: names.map((name) => received(name)) });
        for (const name of names.slice(0, 3)) {
          const due = await claimAll(fixture);
          assert.deepEqual(messageIds(due), [name]);
          await stores.outbox.record(due.map((each) => result(fixture, each)));
        }
        const late = await claimAll(fixture);
        await clock.advance(3 * leaseMs);
        const again = await claimAll(fixture);
        assert.deepEqual([messageIds(late), messageIds(again)], [['A3'], ['A3']]);
        await stores.outbox.record(again.map((each) => result(fixture, each)));
        await reopen();
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A4', 'A5']]]));
      }),
    );

    it(
      'tells its webhook off and on again while one is on its way, and posts it once',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: ['A1', 'A2', 'A3'].map((name) => received(name)) });
        await stores.outbox.record((await claimAll(fixture)).map((each) => result(fixture, each)));
        const second = await claimAll(fixture);
        assert.deepEqual(messageIds(second), ['A2']);
        await stores.webhooks.disable(await stores.webhooks.primary(id), clock.now());
        await stores.devices.update(id, hook);
        await stores.outbox.retry(id, second[0]!.id, clock.now());
        assert.deepEqual(await claimAll(fixture), []);
        await stores.outbox.record(second.map((each) => result(fixture, each)));
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A3']]]));
      }),
    );

    it(
      'lets what is retried by hand go first, also in the moment in which the one behind it arrives',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, { facts: [received('A1')] });
        const [failed] = await claimAll(fixture);
        await stores.outbox.record([result(fixture, failed!, { ...refused, state: 'failed' })]);
        await stores.changes.commit(id, { facts: [received('A2'), received('A3')] });
        const [second] = await claimAll(fixture);
        assert.deepEqual(messageIds([second!]), ['A2']);
        await Promise.all([
          stores.outbox.record([result(fixture, second!)]),
          stores.outbox.retry(id, failed!.id, clock.now()),
        ]);
        const next = await claimAll(fixture);
        assert.deepEqual(messageIds(next), ['A1']);
        assert.deepEqual(await claimAll(fixture), []);
        await stores.outbox.record(next.map((due) => result(fixture, due)));
        assert.deepEqual(await drain(fixture), new Map([[chatA, ['A3']]]));
      }),
    );
  });
};
