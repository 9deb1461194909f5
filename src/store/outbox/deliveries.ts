/** Deliveries as a user sees them: by id, and newest first. */
import type { Delivery } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { deliveryId, eventId, seqOf } from '../events/ids.ts';
import { detailContext, openDetail } from '../sealing/rows.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, all, first } from '../unit.ts';

const columns = [
  'd.device_id',
  'd.seq',
  'e.kind',
  'd.state',
  'd.attempts',
  'd.next_attempt_at',
  'd.created_at',
  'd.delivered_at',
  'd.last_attempt_at',
  'd.last_status',
  'd.last_duration_ms',
  'd.last_detail',
  'd.late',
] as const;

const select = ({ sql }: Context, deviceId: number) =>
  sql
    .selectFrom('deliveries as d')
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns)
    .where('d.device_id', '=', deviceId);

type Row = ReturnType<typeof select> extends { execute(): Promise<(infer R)[]> } ? R : never;

const deliveryOf = (sealer: Sealer, row: Row): Delivery => {
  const detail = openDetail(sealer, row.last_detail, row.last_status, detailContext(row.device_id, row.seq));
  return {
    id: deliveryId(row.device_id, row.seq),
    deviceId: row.device_id,
    eventId: eventId(row.device_id, row.seq),
    eventType: row.kind,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastError: detail.error,
    lastDurationMs: row.last_duration_ms,
    lastResponse: detail.response,
    late: row.late === 1,
  };
};

export function* findDelivery(context: Context, deviceId: number, seq: number): Unit<Delivery | null> {
  const row = yield* first(select(context, deviceId).where('d.seq', '=', seq));
  return row === undefined ? null : deliveryOf(context.sealer, row);
}

export const deliveryReader = (context: Context): Pick<Outbox, 'list' | 'find' | 'depth'> => ({
  depth: async (atMost) => {
    const { sql, database } = context;
    const some = sql
      .selectFrom('deliveries')
      .select('created_at')
      .where('next_attempt_at', 'is not', null)
      .limit(atMost)
      .as('some');
    const query = sql
      .selectFrom(some)
      .select((e) => [e.fn.countAll<number>().as('pending'), e.fn.min('created_at').as('oldest_at')]);
    const row = await database.read(() => first(query));
    return { pending: row?.pending ?? 0, oldestAt: row?.oldest_at ?? null };
  },
  list: async (deviceId, { limit, cursor, state }) => {
    let query = select(context, deviceId)
      .orderBy('d.seq', 'desc')
      .limit(limit + 1);
    if (state !== undefined) query = query.where('d.state', '=', state);
    if (cursor !== null) query = query.where('d.seq', '<', decodeCursor('deliveries', 1, cursor)[0]!);
    const rows = await context.database.read(() => all(query));
    return pageOf('deliveries', rows, limit, {
      item: (row) => deliveryOf(context.sealer, row),
      key: (row) => [row.seq],
    });
  },
  find: async (deviceId, id) => {
    const seq = seqOf('dlv', deviceId, id);
    return seq === null ? null : context.database.read(() => findDelivery(context, deviceId, seq));
  },
});
