/**
 * Facts of every kind, one commit a line, recorded from the flows on 2026-11-27 with what came of them while the driver still made events: each
 * commit is made twice, as the network repeats itself.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SessionChanges, Fact } from '../../src/domain/changes.ts';
import type { StoredEvent } from '../../src/domain/event.ts';
import { eventOf } from '../../src/store/commit/events-of.ts';
import { manualClock } from '../support/clock.ts';
import { openTestStore } from '../support/store.ts';

interface Recorded extends Pick<SessionChanges, 'messages' | 'messageChanges'> {
  readonly facts: readonly Fact[];
  readonly keys: readonly (readonly [order: string, dedupe: string | null])[];
  readonly told: readonly (readonly [id: string, digest: string])[];
}

const lines = readFileSync(join(import.meta.dirname, 'facts.corpus.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const { deliveries } = JSON.parse(lines.pop()!) as { readonly deliveries: readonly string[] };
const corpus = lines.map((line) => JSON.parse(line) as Recorded);

const digestOf = ({ at, event }: StoredEvent): string =>
  createHash('sha256').update(JSON.stringify({ at, event })).digest('hex').slice(0, 32);

test('store: facts make the events, ids and dedupe keys that they always made', async (t) => {
  const clock = manualClock();
  const store = await openTestStore({ clock });
  t.after(() => store.close());
  const { stores } = store;
  const user = await stores.users.create('owner', 100, 0);
  const webhookEvents = ['message.received', 'message.sent', 'message.updated', 'call'] as const;
  const hooked = { userId: user.id, name: 'x', webhookUrl: 'https://x.example/', webhookEvents };
  const { id } = await stores.devices.create(hooked, clock.now());
  for (const { facts, keys, told, ...beside } of corpus) {
    const accepted = facts.flatMap((fact) => ('accepted' in fact ? [fact.accepted] : []));
    const messages = accepted.map((record) => ({ ...record, state: 'pending' as const, acceptedAt: null }));
    if (messages.length > 0) await stores.changes.commit(id, { messages });
    const made = facts.map(eventOf).map(({ orderKey, dedupeKey = null }) => [orderKey, dedupeKey]);
    assert.deepEqual(made, keys);
    const first = await stores.changes.commit(id, { ...beside, facts });
    const again = await stores.changes.commit(id, { ...beside, facts });
    assert.deepEqual(
      [...first, ...again].map((each) => [each.id, digestOf(each)]),
      told,
    );
  }
  const posted = await stores.outbox.list(id, { limit: 1000, cursor: null });
  assert.deepEqual(posted.items.map((delivery) => delivery.id).toSorted(), deliveries);
});
