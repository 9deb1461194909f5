/** Deliveries as a user sees them: by id, and newest first. */
import type { Delivery, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { inTurns } from '../../domain/turns.ts';
import { decodeCursor, encodeCursor } from '../base/cursor.ts';
import { listed } from '../base/listed.ts';
import { deliveryId, deviceOfDelivery, eventId, seqOf } from '../base/ids.ts';
import { detailContext, openDetail } from '../sealing/rows.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type InferResult, type SqlBool, sql as text } from 'kysely';
import { type Unit, all, first } from '../base/unit.ts';

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

const own = ({ sql }: Context) => sql.selectFrom('deliveries as d');
const additional = ({ sql }: Context, webhookId: number) =>
  sql.selectFrom('webhook_deliveries as d').where('d.webhook_id', '=', webhookId);

const joined = (context: Context) =>
  own(context)
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns);

const joinedAdditional = (context: Context, webhookId: number) =>
  additional(context, webhookId)
    .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
    .select(columns);

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

/** A delivery before it is read. */
interface Head {
  readonly seq: number;
  readonly device_id: number;
  readonly bytes: number;
}

const ofHead = ['d.seq', 'd.device_id', text<number>`coalesce(octet_length(d.last_detail), 0)`.as('bytes')] as const;

/** Deliveries to a device's own webhook. */
const ownHeads = (
  context: Context,
  deviceId: number | null,
  state: ListPage['state'],
  after: Key | null,
  count: number,
): Unit<Head[]> => {
  let query = own(context).where('d.device_id', '=', deviceId ?? 0);
  if (state !== undefined) query = query.where('d.state', '=', state);
  if (after !== null) query = query.where('d.seq', '<', after[0]);
  return all(query.select(ofHead).orderBy('d.seq', 'desc').limit(count));
};

const undelivered = text<SqlBool>`d.state <> 'delivered'`;

/** Deliveries to an additional webhook: account-wide, two devices may have events of one sequence. */
const additionalHeads = (
  context: Context,
  webhookId: number,
  deviceId: number | null,
  state: ListPage['state'],
  after: Key | null,
  count: number,
): Unit<Head[]> => {
  let query = additional(context, webhookId);
  if (deviceId !== null) query = query.where('d.device_id', '=', deviceId);
  if (state !== undefined) query = query.where('d.state', '=', state);
  // The index of those that are not delivered has this condition.
  if (state !== undefined && state !== 'delivered') query = query.where(undelivered);
  if (after !== null) query = query.where((e) => e(e.refTuple('d.seq', 'd.device_id'), '<', e.tuple(...after)));
  return all(query.select(ofHead).orderBy('d.seq', 'desc').orderBy('d.device_id', 'desc').limit(count));
};

type Key = readonly [seq: number, deviceId: number];

const pageReader =
  (context: Context): Outbox['list'] =>
  async (deviceId, { limit, cursor, bytes, state }, webhookId = 0) => {
    const isOwn = webhookId === 0;
    const [seq = 0, device = 0] = cursor === null ? [] : decodeCursor('deliveries', isOwn ? 1 : 2, cursor);
    return listed({
      from: cursor === null ? null : [seq, device],
      limit,
      bytes,
      heads: (after: Key | null, count) =>
        context.database.read(() =>
          isOwn
            ? ownHeads(context, deviceId, state, after, count)
            : additionalHeads(context, webhookId, deviceId, state, after, count),
        ),
      open: async (heads) => {
        const numbers = heads.map((head) => head.seq);
        const devices = [...new Set(heads.map((head) => head.device_id))];
        const query = isOwn ? joined(context) : joinedAdditional(context, webhookId);
        const found = query.where('d.device_id', 'in', devices).where('d.seq', 'in', numbers);
        const rows = await context.database.read(() => all(found));
        const byKey = new Map(rows.map((row) => [`${row.seq}/${row.device_id}`, row]));
        return inTurns(heads, (head) => {
          const row = byKey.get(`${head.seq}/${head.device_id}`);
          return row === undefined ? null : deliveryOf(context.sealer, row, webhookId);
        });
      },
      keyOf: (head): Key => [head.seq, head.device_id],
      cursorOf: (key) => encodeCursor('deliveries', isOwn ? [key[0]] : key),
    });
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
      const ofOwn = yield* first(depthOf(context, 'deliveries', atMost));
      const others = yield* first(depthOf(context, 'webhook_deliveries', atMost));
      const times = [ofOwn?.oldest ?? null, others?.oldest ?? null].filter((at) => at !== null);
      const pending = Math.min(atMost, (ofOwn?.pending ?? 0) + (others?.pending ?? 0));
      return { pending, oldestAt: times.length === 0 ? null : Math.min(...times) };
    }),
  list: pageReader(context),
  find: async (deviceId, id) => {
    const seq = seqOf('dlv', deviceId, id);
    if (seq === null) return null;
    return context.database.read(() => findDelivery(context, { deviceId, webhookId: 0 }, seq));
  },
});
