/** Reads deliveries: by id, and newest first. */
import type { Delivery, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { inOrder, listed, decodeCursor, encodeCursor } from '../base/listed.ts';
import { deliveryId, eventId, placeIn } from '../base/ids.ts';
import { openDetail } from '../sealing/rows.ts';
import { contextOf, type Sealer } from '../sealing/sealer.ts';
import { type InferResult, type SqlBool, sql as text } from 'kysely';
import { type Unit, all, first } from '../base/unit.ts';

const columns = [
  'd.device_id as deviceId',
  'd.webhook_id',
  'd.seq',
  'e.kind as eventType',
  'w.is_primary',
  'd.state',
  'd.attempts',
  'd.next_attempt_at as nextAttemptAt',
  'd.created_at as createdAt',
  'd.delivered_at as deliveredAt',
  'd.last_attempt_at as lastAttemptAt',
  'd.last_status as lastStatus',
  'd.last_duration_ms as lastDurationMs',
  'd.last_detail',
  'd.late',
] as const;

const joined = ({ sql }: Context, webhookId: number) =>
  sql
    .selectFrom('deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns)
    .where('d.webhook_id', '=', webhookId);

type Row = InferResult<ReturnType<typeof joined>>[number];

const deliveryOf = (sealer: Sealer, row: Row): Delivery => {
  const { webhook_id, seq, is_primary, last_detail, late, ...rest } = row;
  const { deviceId, lastStatus } = rest;
  const context = contextOf('deliveries.last_detail', { device_id: deviceId, seq, webhook_id });
  const { error, response, headers } = openDetail(sealer, last_detail, lastStatus, context);
  return {
    id: deliveryId(deviceId, seq, { id: webhook_id, isPrimary: is_primary === 1 }),
    eventId: eventId(deviceId, seq),
    ...rest,
    lastError: error,
    lastResponse: response,
    lastHeaders: headers,
    late: late === 1,
  };
};

export function* webhookIdOf({ sql }: Context, deviceId: number | null, given?: number): Unit<number | null> {
  if (given !== undefined) return given;
  const primary = sql.selectFrom('webhooks').select('id').where('device_id', '=', deviceId).where('is_primary', '=', 1);
  return (yield* first(primary))?.id ?? null;
}

export interface FoundDelivery {
  readonly key: QueueKey;
  readonly seq: number;
  readonly delivery: Delivery;
}

export function* findDelivery(
  context: Context,
  deviceId: number | null,
  id: string,
  givenWebhookId?: number,
): Unit<FoundDelivery | null> {
  const place = placeIn('dlv', id);
  const webhookId = yield* webhookIdOf(context, deviceId, givenWebhookId);
  if (place === null || webhookId === null || (deviceId !== null && deviceId !== place.deviceId)) return null;
  const { seq } = place;
  const query = joined(context, webhookId).where('d.device_id', '=', place.deviceId).where('d.seq', '=', seq);
  const row = yield* first(query);
  const delivery = row === undefined ? null : deliveryOf(context.sealer, row);
  // The id may name the same event's delivery to another webhook.
  return delivery?.id === id ? { key: { deviceId: place.deviceId, webhookId }, seq, delivery } : null;
}

type Key = readonly [seq: number, deviceId: number];

const keyOf = ({ seq, deviceId }: Pick<Row, 'seq' | 'deviceId'>): Key => [seq, deviceId];

/** An account-wide webhook can have two deliveries of one sequence, from two devices. */
const headsOf = (
  { sql }: Context,
  { webhookId, deviceId }: { readonly webhookId: number; readonly deviceId: number | null },
  state: Parameters<Outbox['list']>[1]['state'],
  after: Key | null,
  count: number,
) => {
  let query = sql.selectFrom('deliveries as d').where('d.webhook_id', '=', webhookId);
  if (deviceId !== null) query = query.where('d.device_id', '=', deviceId);
  if (state !== undefined) query = query.where('d.state', '=', state);
  // Required for the partial index of undelivered rows.
  if (state !== undefined && state !== 'delivered') query = query.where(text<SqlBool>`d.state <> 'delivered'`);
  if (after !== null) query = query.where((e) => e(e.refTuple('d.seq', 'd.device_id'), '<', e.tuple(...after)));
  return all(
    query
      .select(['d.seq', 'd.device_id as deviceId', text<number>`coalesce(octet_length(d.last_detail), 0)`.as('bytes')])
      .orderBy('d.seq', 'desc')
      .orderBy('d.device_id', 'desc')
      .limit(count),
  );
};

const pageReader =
  (context: Context): Outbox['list'] =>
  async (deviceId, { limit, cursor, bytes, state }, givenWebhookId) => {
    const { database, sealer } = context;
    const webhookId = await database.read(() => webhookIdOf(context, deviceId, givenWebhookId));
    if (webhookId === null) return { items: [], nextCursor: null };
    const [seq = 0, device = 0] = cursor === null ? [] : decodeCursor('deliveries', 2, cursor);
    return listed({
      from: cursor === null ? null : [seq, device],
      limit,
      bytes,
      heads: (after: Key | null, count: number) =>
        database.read(() => headsOf(context, { webhookId, deviceId }, state, after, count)),
      open: async (heads) => {
        const numbers = heads.map((head) => head.seq);
        const devices = [...new Set(heads.map((head) => head.deviceId))];
        const found = joined(context, webhookId).where('d.device_id', 'in', devices).where('d.seq', 'in', numbers);
        const rows = await database.read(() => all(found));
        return inOrder(heads, rows, keyOf, (row) => deliveryOf(sealer, row));
      },
      keyOf,
      cursorOf: (key) => encodeCursor('deliveries', key),
    });
  };

export const deliveryReader = (context: Context): Pick<Outbox, 'list' | 'find' | 'depth'> => ({
  depth: async (atMost) => {
    const { sql, database } = context;
    const pending = sql
      .selectFrom('deliveries')
      .select('created_at')
      .where('next_attempt_at', 'is not', null)
      .limit(atMost)
      .as('some');
    const query = sql
      .selectFrom(pending)
      .select((e) => [e.fn.countAll<number>().as('pending'), e.fn.min('created_at').as('oldest')]);
    const row = await database.read(() => first(query));
    return { pending: row?.pending ?? 0, oldestAt: row?.oldest ?? null };
  },
  list: pageReader(context),
  find: async (deviceId, id) =>
    (await context.database.read(() => findDelivery(context, deviceId, id)))?.delivery ?? null,
});
