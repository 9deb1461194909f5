/**
 * How many statements a message costs in SQLite, from its first commit to its recorded delivery: a path that grows fails here. At most 8
 * for a received message and 14 for a text, webhooks included.
 */
import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { DueDelivery, FreshTaker } from '../../src/domain/delivery.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { manualClock } from '../support/clock.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, hook, received, record } from './contract/fixture.ts';

/** Statements that run while `run` runs, without the beginnings and ends of transactions. */
const counted = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
  const seen: string[] = [];
  const restored: (() => void)[] = [];
  for (const name of ['run', 'all', 'get'] as const) {
    const original = StatementSync.prototype[name];
    restored.push(() => Object.assign(StatementSync.prototype, { [name]: original }));
    const spy = function spy(this: StatementSync, ...values: never[]): unknown {
      if (/^(select|insert|update|delete)/i.test(this.sourceSQL)) seen.push(this.sourceSQL);
      return Reflect.apply(original, this, values);
    };
    Object.assign(StatementSync.prototype, { [name]: spy });
  }
  try {
    await run();
  } finally {
    for (const restore of restored) restore();
  }
  return seen;
};

const keysOf = (name: string): NonNullable<SessionChanges['keys']> => [
  { type: 'session', id: 'peer', value: bytes(name) },
];

const receive = (stores: Stores, id: number, names: readonly string[]): Promise<unknown> =>
  stores.changes.commit(id, {
    keys: keysOf(names[0]!),
    inbox: names.map((name) => ({ key: name, plaintext: bytes('p') })),
    messages: names.map((name) => record(name, { direction: 'in', state: 'delivered', acceptedAt: null })),
    facts: names.map((name) => received(name)),
  });

/** As the driver does: what it promises before the frame leaves, and what the network's acknowledgement changes. */
const send = async (stores: Stores, id: number, name: string): Promise<void> => {
  const pending = record(name, { state: 'pending', acceptedAt: null });
  await stores.changes.commit(id, { keys: keysOf(name), messages: [pending] });
  await stores.changes.commit(id, { sent: 1, facts: [{ accepted: { ...pending, acceptedAt: 1000 } }] });
};

const setUp = async (t: TestContext) => {
  const clock = manualClock();
  const store = await openTestStore({ clock });
  t.after(() => store.close());
  const { stores } = store;
  const user = await stores.users.create('owner', 5, 0);
  const wish = { userId: user.id, name: 'x', webhookEvents: ['message.received', 'message.sent'], ...hook } as const;
  const { id } = await stores.devices.create(wish, 0);
  let due: DueDelivery[] = [];
  const taker: FreshTaker = { accepts: () => true, take: (fresh) => void due.push(fresh) };
  /** Runs the commits, the claim and the record, which should take so many statements. */
  const round = async (commit: () => Promise<unknown>, expected?: readonly number[]): Promise<void> => {
    await clock.advance(10);
    const now = clock.now();
    due = [];
    const request = { now, leaseUntil: now + 30_000, limit: 9, exceptWebhooks: [], runOf: () => 32 };
    const steps = [
      await counted(commit),
      await counted(async () => {
        if (due.length === 0) due = [...(await stores.outbox.claim(request))];
      }),
      await counted(async () => {
        const outcome = { state: 'delivered', attempts: 1, nextAttemptAt: null, at: now, status: 200 } as const;
        const results = due
          .flatMap((each) => [each, ...(each.rest ?? [])])
          .map((each) => ({ seq: each.seq, deviceId: id, webhookId: each.webhookId, isPrimary: true, ...outcome }));
        const answer = { error: null, durationMs: 1, response: '' };
        await stores.outbox.record(results.map((each) => ({ ...each, ...answer })));
      }),
    ];
    if (expected === undefined) return;
    const shown = steps.map((statements) => statements.join('\n')).join('\n\n');
    assert.deepEqual(
      steps.map((statements) => statements.length),
      expected,
      shown,
    );
  };
  // The first reads the webhooks of the device, and notes that the endpoint has answered.
  await round(() => receive(stores, id, ['M1']));
  return { stores, id, round, takeFresh: () => stores.outbox.takeFresh(taker) };
};

test('a received message costs 7 statements, and the record of its delivery 1', async (t) => {
  const { stores, id, round, takeFresh } = await setUp(t);
  takeFresh();
  await round(() => receive(stores, id, ['M2']), [7, 0, 1]);
});

test('a text costs 8 statements, and the record of the delivery of its event 1', async (t) => {
  const { stores, id, round, takeFresh } = await setUp(t);
  takeFresh();
  await round(() => send(stores, id, 'T1'), [8, 0, 1]);
});

test('eight messages of a chat that arrive together cost 7 statements, and the record of their deliveries 8', async (t) => {
  const { stores, id, round, takeFresh } = await setUp(t);
  takeFresh();
  const names = Array.from({ length: 8 }, (_, n) => `R${n}`);
  await round(() => receive(stores, id, names), [7, 0, 8]);
});

test('one that cannot be posted at once costs 9 statements, its claim 4, and the record of its delivery 2', async (t) => {
  const { stores, id, round } = await setUp(t);
  await round(() => receive(stores, id, ['M2']), [9, 4, 2]);
});
