/** Deliveries as a user sees them: by id, and newest first. */
import type { Delivery, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { deliveryId, deviceOfDelivery, eventId, seqOf } from '../events/ids.ts';
import { detailContext, openDetail } from '../sealing/rows.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type InferResult, type SqlBool, sql as text } from 'kysely';
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

const joined = ({ sql }: Context) =>
  sql
    .selectFrom('deliveries as d')
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns);

const joinedAdditional = ({ sql }: Context, webhookId: number) =>
  sql
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns)
    .where('d.webhook_id', '=', webhookId);

type Row = InferResult<ReturnType<typeof joined>>[number];

const deliveryOf = (sealer: Sealer, row: Row, webhookId: number): Delivery => {
  const context = detailContext(row.device_id, row.seq, webhookId);
  const detail = openDetail(sealer, row.last_detail, row.last_status, context);
  return {
    id: deliveryId(row.device_id, row.seq, webhookId),
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
    lastHeaders: detail.headers,
    late: row.late === 1,
  };
};

/** The queue and the event that a delivery's id names; null when it is none of the device (null: of every one) and webhook. */
export const namedDelivery = (
  deviceId: number | null,
  id: string,
  webhookId: number,
): { readonly key: QueueKey; readonly seq: number } | null => {
  const device = deviceId ?? deviceOfDelivery(id);
  const seq = device === null ? null : seqOf('dlv', device, id, webhookId);
  return device === null || seq === null ? null : { key: { deviceId: device, webhookId }, seq };
};

export function* findDelivery(context: Context, { deviceId, webhookId }: QueueKey, seq: number): Unit<Delivery | null> {
  const row: Row | undefined =
    webhookId === 0
      ? yield* first(joined(context).where('d.device_id', '=', deviceId).where('d.seq', '=', seq))
      : yield* first(joinedAdditional(context, webhookId).where('d.device_id', '=', deviceId).where('d.seq', '=', seq));
  return row === undefined ? null : deliveryOf(context.sealer, row, webhookId);
}

type ListPage = Parameters<Outbox['list']>[1];

/** Deliveries to a device's own webhook. */
const ownPage = (context: Context, deviceId: number | null, { limit, cursor, state }: ListPage): Unit<Row[]> => {
  let query = joined(context)
    .where('d.device_id', '=', deviceId ?? 0)
    .orderBy('d.seq', 'desc')
    .limit(limit + 1);
  if (state !== undefined) query = query.where('d.state', '=', state);
  if (cursor !== null) query = query.where('d.seq', '<', decodeCursor('deliveries', 1, cursor)[0]!);
  return all(query);
};

const undelivered = text<SqlBool>`d.state <> 'delivered'`;

/** Deliveries to an additional webhook: account-wide, two devices may have events of one sequence. */
const additionalPage = (
  context: Context,
  deviceId: number | null,
  { limit, cursor, state }: ListPage,
  webhookId: number,
): Unit<Row[]> => {
  let query = joinedAdditional(context, webhookId)
    .orderBy('d.seq', 'desc')
    .orderBy('d.device_id', 'desc')
    .limit(limit + 1);
  if (deviceId !== null) query = query.where('d.device_id', '=', deviceId);
  if (state !== undefined) query = query.where('d.state', '=', state);
  // The index of those that are not delivered has this condition.
  if (state !== undefined && state !== 'delivered') query = query.where(undelivered);
  if (cursor !== null) {
    const [seq, device] = decodeCursor('deliveries', 2, cursor);
    query = query.where((e) => e(e.refTuple('d.seq', 'd.device_id'), '<', e.tuple(seq!, device!)));
  }
  return all(query);
};

const depthOf = ({ sql }: Context, table: 'deliveries' | 'webhook_deliveries', atMost: number) => {
  const some = sql
    .selectFrom(table)
    .select('created_at')
    .where('next_attempt_at', 'is not', null)
    .limit(atMost)
    .as('some');
  return sql
    .selectFrom(some)
    .select((e) => [e.fn.countAll<number>().as('pending'), e.fn.min('created_at').as('oldest')]);
};

export const deliveryReader = (context: Context): Pick<Outbox, 'list' | 'find' | 'depth'> => ({
  depth: (atMost) =>
    context.database.read(function* () {
      const own = yield* first(depthOf(context, 'deliveries', atMost));
      const additional = yield* first(depthOf(context, 'webhook_deliveries', atMost));
      const times = [own?.oldest ?? null, additional?.oldest ?? null].filter((at) => at !== null);
      const pending = Math.min(atMost, (own?.pending ?? 0) + (additional?.pending ?? 0));
      return { pending, oldestAt: times.length === 0 ? null : Math.min(...times) };
    }),
  list: async (deviceId, page, webhookId = 0) => {
    const rows = await context.database.read(() =>
      webhookId === 0 ? ownPage(context, deviceId, page) : additionalPage(context, deviceId, page, webhookId),
    );
    return pageOf('deliveries', rows, page.limit, {
      item: (row) => deliveryOf(context.sealer, row, webhookId),
      key: (row) => (webhookId === 0 ? [row.seq] : [row.seq, row.device_id]),
    });
  },
  find: async (deviceId, id) => {
    const seq = seqOf('dlv', deviceId, id);
    if (seq === null) return null;
    return context.database.read(() => findDelivery(context, { deviceId, webhookId: 0 }, seq));
  },
});
