/** How many statements a received message costs, from its commit to its recorded delivery: a path that grows fails here. */
import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Stores } from '../../src/domain/stores.ts';
import { manualClock } from '../support/clock.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, hook, received, record } from './contract/fixture.ts';

/** Statements that run while `run` runs, without the beginnings and ends of transactions. */
const counted = async (run: () => Promise<void>): Promise<readonly string[]> => {
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

const receive = (stores: Stores, id: number, name: string): Promise<unknown> =>
  stores.changes.commit(id, {
    inbox: [{ key: name, plaintext: bytes('p') }],
    messages: [record(name)],
    events: [received(name, undefined, { dedupeKey: name })],
  });

test('a received message costs 9 statements, its claim 4, and the record of its delivery 4', async () => {
  const clock = manualClock();
  const store = await openTestStore({ clock });
  const { stores } = store;
  const user = await stores.users.create('owner', 5, 0);
  const { id } = await stores.devices.create(
    { userId: user.id, name: 'x', webhookEvents: ['message.received'], ...hook },
    0,
  );
  const round = async (name: string) => {
    const now = clock.now();
    const committed = await counted(async () => void (await receive(stores, id, name)));
    let due: Awaited<ReturnType<typeof stores.outbox.claim>> = [];
    const claimed = await counted(async () => {
      due = await stores.outbox.claim({ now, leaseUntil: now + 30_000, limit: 9, exceptWebhooks: [] });
    });
    const [{ id: delivery, webhookId }] = due as [(typeof due)[number]];
    const outcome = { state: 'delivered', attempts: 1, nextAttemptAt: null, at: now, status: 200 } as const;
    const answer = { error: null, durationMs: 1, response: '' };
    const recorded = await counted(async () => {
      const result = { id: delivery, deviceId: id, webhookId, isPrimary: true, ...outcome, ...answer };
      assert.deepEqual(await stores.outbox.record([result]), []);
    });
    return [committed, claimed, recorded];
  };
  // The first reads the webhooks of the device, and notes that the endpoint has answered.
  await round('M1');
  await clock.advance(10);
  const counts = await round('M2');
  assert.deepEqual(
    counts.map((statements) => statements.length),
    [9, 4, 4],
    counts.map((statements) => statements.join('\n')).join('\n\n'),
  );
  await store.close();
});
