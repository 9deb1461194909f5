/** Claims: the due heads of queues, leased by their rows. */
import { sql as raw } from 'kysely';
import type { DueDelivery } from '../../domain/delivery.ts';
import type { Context } from '../context.ts';
import { deliveryId } from '../events/ids.ts';
import { queueWriter } from './delivery-queues.ts';
import { openEvent } from '../sealing/rows.ts';
import { type Unit, prepare } from '../unit.ts';

export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  /** Devices that are left out. */
  readonly except: ReadonlySet<number>;
  /** How many of a device may be taken when so many are taken already. */
  readonly roomOf: (deviceId: number, taken: number) => number;
}

const queriesOf = ({ sql, database }: Context) => ({
  // Where others claim, too, each takes the devices that nobody else is just writing to.
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
  /** Leases the first due queues of a device. With `due_at` in its own condition, too, the update would walk all that are due. */
  lease: prepare((p: { deviceId: number; now: number; limit: number; leaseUntil: number }) =>
    sql
      .updateTable('lanes')
      .set({ due_at: p.leaseUntil, leased: 1 })
      .where('device_id', '=', p.deviceId)
      .where('order_hash', 'in', (e) =>
        e
          .selectFrom('lanes')
          .select('order_hash')
          .where('device_id', '=', p.deviceId)
          .where('due_at', '<=', p.now)
          .orderBy('due_at')
          .orderBy('head_seq')
          .limit(p.limit),
      )
      .returning('head_seq'),
  ),
  due: prepare((p: { deviceId: number; seq: number }) =>
    sql
      .selectFrom('deliveries as d')
      .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
      .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward'])
      .where('d.device_id', '=', p.deviceId)
      .where('d.next_attempt_at', 'is not', null)
      .where('d.seq', '=', p.seq),
  ),
  /** All at once, where each statement is a way to another machine. */
  dueTogether: prepare((p: { deviceId: number; seqs: readonly number[] }) =>
    sql
      .selectFrom('deliveries as d')
      .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
      .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward'])
      .where('d.device_id', '=', p.deviceId)
      .where('d.next_attempt_at', 'is not', null)
      .where(raw<boolean>`d.seq = any(${p.seqs}::bigint[])`)
      .orderBy('d.seq'),
  ),
});

export const claimer = (context: Context): ((claim: Claim) => Unit<DueDelivery[]>) => {
  const { sealer, database } = context;
  const queries = queriesOf(context);
  const queues = queueWriter(context);

  function* rowsOf(deviceId: number, seqs: readonly number[]) {
    if (database.shared) return yield* queries.dueTogether.all({ deviceId, seqs });
    const rows = [];
    for (const seq of seqs) rows.push(...(yield* queries.due.all({ deviceId, seq })));
    return rows;
  }

  function* claimOf(deviceId: number, limit: number, { now, leaseUntil }: Claim): Unit<DueDelivery[]> {
    const leased = yield* queries.lease.all({ deviceId, now, limit, leaseUntil });
    const seqs = leased.map(({ head_seq: head }) => head).toSorted((a, b) => a - b);
    const rows = yield* rowsOf(deviceId, seqs);
    const claimed = rows.map((row) => {
      const { attempts } = row;
      const broughtForward = row.brought_forward === 1;
      return { id: deliveryId(deviceId, row.seq), deviceId, attempts, broughtForward, ...openEvent(sealer, row) };
    });
    yield* queues.reschedule(deviceId, now);
    return claimed;
  }

  return function* claim(wanted) {
    const { now, limit, except, roomOf } = wanted;
    const found: DueDelivery[] = [];
    for (const { id } of yield* queries.devices.all({ now, limit: limit + except.size })) {
      if (found.length >= limit) break;
      const room = except.has(id) ? 0 : Math.min(limit - found.length, roomOf(id, found.length));
      if (room > 0) found.push(...(yield* claimOf(id, room, wanted)));
    }
    return found;
  };
};
