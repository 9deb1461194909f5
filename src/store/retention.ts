/**
 * Deletes data past its retention in small steps. An event goes with its deliveries. Undelivered ones stay: pending ones while the
 * webhook may take them; failed ones, or those of a disabled webhook, for 30 days or the retention of events, whichever is longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql as text } from 'kysely';
import type { Retention } from '../domain/stores.ts';
import type { Context } from './base/context.ts';
import { emptied, removeStranded } from './devices/device-removal.ts';
import { dropKeptBefore } from './messages/kept-media.ts';
import { deleteInSteps } from './base/delete-in-steps.ts';
import { deliveryPruner, waitingFor } from './webhooks/retention.ts';
import { type Unit, prepare } from './base/unit.ts';
import { dropping } from './base/statements.ts';

const stepSize = 500;
const undeliveredKeptMs = 30 * 86_400_000;

type Position = readonly [storedAt: number, deviceId: number, seq: number];

const queriesOf = ({ sql }: Context) => ({
  oldEvents: prepare((p: { storedAt: number; deviceId: number; seq: number; before: number }) =>
    sql
      .selectFrom('events as e')
      .innerJoin('devices as v', 'v.id', 'e.device_id')
      .select(['e.stored_at', 'e.device_id', 'e.seq', 'v.deleted'])
      .select(waitingFor)
      .where('e.stored_at', '<', p.before)
      .where((e) => e(e.refTuple('e.stored_at', 'e.device_id', 'e.seq'), '>', e.tuple(p.storedAt, p.deviceId, p.seq)))
      .orderBy('e.stored_at')
      .orderBy('e.device_id')
      .orderBy('e.seq')
      .limit(stepSize),
  ),
  notePruned: prepare((p: { deviceId: number; seq: number }) =>
    sql.updateTable('devices').set({ pruned_seq: p.seq }).where('id', '=', p.deviceId).where('pruned_seq', '<', p.seq),
  ),
  deleteDevice: dropping({ sql }, 'devices', ['id']),
  deleteEvent: dropping({ sql }, 'events', ['device_id', 'seq']),
});

const eventPruner = (context: Context) => {
  const { database } = context;
  const queries = queriesOf(context);
  const removeDeliveries = deliveryPruner(context);

  function* step(
    position: Position,
    before: number,
    undeliveredBefore: number,
  ): Unit<{ position: Position | null; gone: number }> {
    const [storedAt, deviceId, seq] = position;
    const rows = yield* queries.oldEvents.all({ storedAt, deviceId, seq, before });
    const old = rows.filter((row) => !row.waits && (!row.undelivered || row.stored_at < undeliveredBefore));
    for (const row of old) {
      const key = { device_id: row.device_id, seq: row.seq };
      yield* removeDeliveries(key);
      yield* queries.deleteEvent.all(key);
      if (row.deleted === emptied.deleted) yield* queries.deleteDevice.all({ id: row.device_id });
    }
    const newest = new Map(old.toSorted((a, b) => a.seq - b.seq).map((row) => [row.device_id, row.seq]));
    for (const [id, pruned] of newest) yield* queries.notePruned.all({ deviceId: id, seq: pruned });
    const last = rows.length === stepSize ? rows.at(-1)! : null;
    return { gone: old.length, position: last === null ? null : [last.stored_at, last.device_id, last.seq] };
  }

  return async (before: number): Promise<number> => {
    const undeliveredBefore = Math.min(before, context.now() - undeliveredKeptMs);
    let position: Position | null = [-1, 0, 0];
    let count = 0;
    while (position !== null) {
      const from: Position = position;
      const done = await database.write(() => step(from, before, undeliveredBefore));
      count += done.gone;
      position = done.position;
    }
    return count;
  };
};

/** 4 kB pages left free for new rows. */
const keptPages = 1_000;
/** 32 take half a millisecond; those of one commit are flushed together. */
const stepPages = 32;
const pauseMs = 5;
const maxSteps = 100;

function* numberOf(pragma: string): Unit<number> {
  const rows: Readonly<Record<string, number>>[] = yield { sql: `pragma ${pragma}`, values: [] };
  return Object.values(rows[0] ?? {})[0] ?? 0;
}

function* spare(): Unit<number> {
  const incremental = 2;
  return (yield* numberOf('auto_vacuum')) === incremental ? (yield* numberOf('freelist_count')) - keptPages : 0;
}

function* freePages(): Unit<number> {
  yield { sql: `pragma incremental_vacuum(${stepPages})`, values: [] };
  return yield* spare();
}

/** True if more can be returned. Without `auto_vacuum` nothing is, until `handset compact` has rewritten the database. */
const shrink = async ({ database }: Pick<Context, 'database'>): Promise<boolean> => {
  if (database.shared) return false;
  let left = await database.read(spare);
  for (let steps = 0; left > 0 && steps < maxSteps; steps += 1) {
    left = await database.write(freePages);
    await sleep(pauseMs);
  }
  return left > 0;
};

export const retention = (context: Context): Retention => {
  const pruneEvents = eventPruner(context);
  return {
    shrink: () => shrink(context),
    prune: async (before) =>
      (await pruneEvents(before.events)) +
      (await deleteInSteps(context, 'messages', text`stored_at < ${before.messages}`)) +
      (await dropKeptBefore(context, before.messages)) +
      (await deleteInSteps(context, 'annotations', text`stored_at < ${before.messages}`)) +
      (await deleteInSteps(context, 'chat_turns', text`stored_at < ${before.events}`)) +
      (await deleteInSteps(context, 'inbox', text`created_at < ${before.inbox}`)) +
      (await deleteInSteps(context, 'idempotency', text`created_at < ${before.idempotency}`)) +
      (await removeStranded(context)) +
      (await deleteInSteps(context, 'creations', text`created_at < ${before.idempotency}`)) +
      (await deleteInSteps(context, 'statuses', text`expires_at <= ${context.now()}`)),
  };
};
