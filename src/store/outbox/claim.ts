/** Claims: the due heads of queues, leased by their rows. */
import type { DueDelivery } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { deliveryId } from '../events/ids.ts';
import { queueWriter } from './delivery-queues.ts';
import { openEvent } from '../sealing/rows.ts';
import { type Unit, all, prepare } from '../unit.ts';

/** Deliveries of one device in one claim: a device with a million pending takes its turn like the others. */
const perDevice = 32;

type Due = { readonly deviceId: number; readonly now: number; readonly limit: number };

/** The first due queues of a device: the same ones in each statement of a claim, which has locked the device's row. */
const dueQueues = ({ sql }: Context, p: Due) =>
  sql
    .selectFrom('lanes as q')
    .where('q.device_id', '=', p.deviceId)
    .where('q.due_at', '<=', p.now)
    .orderBy('q.due_at')
    .orderBy('q.head_seq')
    .limit(p.limit);

const queriesOf = (context: Context) => {
  const { sql, database } = context;
  return {
    next: prepare(() =>
      sql.selectFrom('devices').select('queue_at').where('queue_at', 'is not', null).orderBy('queue_at').limit(1),
    ),
    // On a shared database each claim takes the devices that nobody else is writing to.
    devices: prepare((p: { now: number; limit: number }) =>
      sql
        .selectFrom('devices')
        .select('id')
        .where('queue_at', '<=', p.now)
        .orderBy('queue_at')
        .orderBy('id')
        .limit(p.limit)
        .$if(database.shared, (query) => query.forUpdate().skipLocked()),
    ),
    heads: prepare((p: Due) =>
      dueQueues(context, p)
        .innerJoin('deliveries as d', (j) =>
          j.onRef('d.device_id', '=', 'q.device_id').onRef('d.seq', '=', 'q.head_seq'),
        )
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'q.device_id').onRef('e.seq', '=', 'q.head_seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward']),
    ),
    /** With `due_at` in its own condition, too, the update would walk all queues that are due. */
    lease: prepare((p: Due & { readonly leaseUntil: number }) =>
      sql
        .updateTable('lanes')
        .set({ due_at: p.leaseUntil, leased: 1 })
        .where('device_id', '=', p.deviceId)
        .where('order_hash', 'in', dueQueues(context, p).select('q.order_hash')),
    ),
  };
};

export const claims = (context: Context): Pick<Outbox, 'claim' | 'nextDueAt'> => {
  const { sealer, database } = context;
  const queries = queriesOf(context);
  const queues = queueWriter(context);

  function* claimOf(due: Due, leaseUntil: number): Unit<DueDelivery[]> {
    const { deviceId, now } = due;
    const rows = yield* queries.heads.all(due);
    yield* queries.lease.all({ ...due, leaseUntil });
    yield* queues.reschedule(deviceId, now);
    const inOrder = rows.toSorted((a, b) => a.seq - b.seq);
    return inOrder.map((row) => ({
      id: deliveryId(deviceId, row.seq),
      deviceId,
      attempts: row.attempts,
      broughtForward: row.brought_forward === 1,
      ...openEvent(sealer, row),
    }));
  }

  function* claim(request: Parameters<Outbox['claim']>[0]): Unit<DueDelivery[]> {
    const { now, leaseUntil, limit, roomOf = () => perDevice } = request;
    const except = new Set(request.exceptDevices);
    const found: DueDelivery[] = [];
    for (const { id: deviceId } of yield* queries.devices.all({ now, limit: limit + except.size })) {
      if (found.length >= limit) break;
      if (except.has(deviceId)) continue;
      const room = Math.min(limit - found.length, perDevice, roomOf(deviceId, found.length));
      if (room > 0) found.push(...(yield* claimOf({ deviceId, now, limit: room }, leaseUntil)));
    }
    return found;
  }

  return {
    claim: (request) => database.write(() => claim(request)),
    nextDueAt: async () => (await database.read(() => queries.next.first({})))?.queue_at ?? null,
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
