/** The queue of webhook deliveries as the dispatcher sees it: claim what is due, record what came of it. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { attemptReader } from './attempts.ts';
import { deliveryReader } from './deliveries.ts';
import { databaseClaims } from './due.ts';
import { laneWriter } from './delivery-queues.ts';
import { recorder } from './record.ts';
import { recovery } from './recovery.ts';
import { deliveryRetry } from './retry.ts';
import { all, prepare } from '../unit.ts';

/** Deliveries of one device in one claim: a device with a million pending takes its turn like the others. */
const perDevice = 32;

/** From what is known here first, and from the database when something may be due there. */
const claimer = (context: Context, nextInDatabase: () => Promise<number | null>): Outbox['claim'] => {
  const { database, fresh } = context;
  const claimDue = databaseClaims(context);
  const lanes = laneWriter(context);
  return async ({ now, leaseUntil, limit, exceptDevices, roomOf = () => perDevice }) => {
    const except = new Set(exceptDevices);
    const room = (deviceId: number, taken: number): number =>
      except.has(deviceId) ? 0 : Math.min(perDevice, roomOf(deviceId, taken));
    const claim = { now, leaseUntil, except };
    if (fresh === null) return database.write(() => claimDue({ ...claim, limit, roomOf: room }));
    const overdue = fresh.dropOverdue(now, leaseUntil);
    const due = overdue.length > 0 || ((await nextInDatabase()) ?? Infinity) <= now;
    // Neither keeps the other waiting.
    const taken = fresh.take({ leaseUntil, limit: due ? Math.ceil(limit / 2) : limit, roomOf: room });
    if (!due || taken.length >= limit) return taken;
    const ofDevice = (deviceId: number): number => taken.filter((each) => each.deviceId === deviceId).length;
    const more = await database.write(function* () {
      fresh.rescheduled();
      yield* lanes.giveBack(overdue, now);
      const roomOfRest = (deviceId: number, others: number): number =>
        room(deviceId, taken.length + others) - ofDevice(deviceId);
      return yield* claimDue({ ...claim, limit: limit - taken.length, roomOf: roomOfRest });
    });
    return [...taken, ...more];
  };
};

export const outbox = (context: Context): Outbox => {
  const { sql, database, fresh } = context;
  const next = prepare(() =>
    sql.selectFrom('devices').select('queue_at').where('queue_at', 'is not', null).orderBy('queue_at').limit(1),
  );
  const ask = async (): Promise<number | null> => (await database.read(() => next.first({})))?.queue_at ?? null;
  const nextInDatabase = (): Promise<number | null> => fresh?.nextInDatabase(ask) ?? ask();
  return {
    claim: claimer(context, nextInDatabase),
    record: recorder(context),
    async nextDueAt() {
      if (fresh === null) return nextInDatabase();
      const due = Math.min(fresh.readySince ?? (await nextInDatabase()) ?? Infinity, fresh.calmUntil);
      return due === Infinity ? null : due;
    },
    ...deliveryReader(context),
    ...deliveryRetry(context),
    ...attemptReader(context),
    ...recovery(context),
  };
};

/** After a start: what a dead process had claimed is due again. For a database that one process has alone. */
export const freeLeases = (context: Context): Promise<void> => {
  const { sql, database } = context;
  const lanes = laneWriter(context);
  return database.write(function* () {
    const leased = yield* all(
      sql.selectFrom('lanes').select(['device_id', 'order_hash', 'head_seq']).where('leased', '=', 1),
    );
    for (const lane of leased) yield* lanes.refresh(lane.device_id, lane.order_hash, lane.head_seq);
    for (const deviceId of new Set(leased.map((lane) => lane.device_id))) yield* lanes.reschedule(deviceId, 0);
  });
};
