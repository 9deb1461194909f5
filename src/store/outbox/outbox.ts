/** The queue of webhook deliveries as the dispatcher sees it: claim what is due, record what came of it. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { attemptReader } from './attempts.ts';
import { deliveryReader } from './deliveries.ts';
import { claimer } from './due.ts';
import { queueWriter } from './delivery-queues.ts';
import { recorder } from './record.ts';
import { recovery } from './recovery.ts';
import { deliveryRetry } from './retry.ts';
import { all, prepare } from '../unit.ts';

/** Deliveries of one device in one claim: a device with a million pending takes its turn like the others. */
const perDevice = 32;

export const outbox = (context: Context): Outbox => {
  const { sql, database } = context;
  const claim = claimer(context);
  const next = prepare(() =>
    sql.selectFrom('devices').select('queue_at').where('queue_at', 'is not', null).orderBy('queue_at').limit(1),
  );
  return {
    claim: ({ exceptDevices, roomOf = () => perDevice, ...request }) => {
      const except = new Set(exceptDevices);
      const room = (deviceId: number, taken: number): number => Math.min(perDevice, roomOf(deviceId, taken));
      return database.write(() => claim({ ...request, except, roomOf: room }));
    },
    record: recorder(context),
    nextDueAt: async () => (await database.read(() => next.first({})))?.queue_at ?? null,
    ...deliveryReader(context),
    ...deliveryRetry(context),
    ...attemptReader(context),
    ...recovery(context),
  };
};

/** At the start of the only process of a database: what a dead one had claimed is due again. */
export const freeLeases = (context: Context): Promise<void> => {
  const { sql, database } = context;
  const queues = queueWriter(context);
  return database.write(function* () {
    const leased = yield* all(
      sql.selectFrom('lanes').select(['device_id', 'order_hash', 'head_seq']).where('leased', '=', 1),
    );
    for (const queue of leased) yield* queues.refresh(queue.device_id, queue.order_hash, queue.head_seq);
    for (const deviceId of new Set(leased.map((queue) => queue.device_id))) yield* queues.reschedule(deviceId, 0);
  });
};
