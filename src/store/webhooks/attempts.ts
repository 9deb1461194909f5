/** Attempts of a delivery: written when they fail, read newest first. */
import type { Attempt, AttemptResult, Delivery, QueueKey } from '../../domain/delivery.ts';
import { sql as text } from 'kysely';
import type { Outbox, Page, PageRequest } from '../../domain/stores.ts';
import { inTurns } from '../../domain/turns.ts';
import type { Context } from '../base/context.ts';
import { listed, decodeCursor, encodeCursor } from '../base/listed.ts';
import { type FoundDelivery, findDelivery } from './deliveries.ts';
import { type DeliveryDetail, openDetail, sealDetail } from '../sealing/rows.ts';
import { contextOf } from '../sealing/contexts.ts';
import { type Unit, all, prepare } from '../base/unit.ts';

type AttemptValues = Pick<AttemptResult, 'at' | 'status' | 'durationMs' | 'error' | 'response' | 'headers'>;

export const attemptWriter = ({ sql, sealer }: Context) => {
  const insert = prepare(
    (
      p: QueueKey & {
        seq: number;
        at: number;
        status: number | null;
        durationMs: number;
        detail: ReturnType<typeof sealDetail>;
      },
    ) =>
      sql
        .insertInto('attempts')
        .values({
          device_id: p.deviceId,
          webhook_id: p.webhookId,
          seq: p.seq,
          at: p.at,
          status: p.status,
          duration_ms: p.durationMs,
          detail: p.detail,
        })
        .onConflict((c) => c.columns(['device_id', 'webhook_id', 'seq', 'at']).doNothing()),
  );
  return function* write({ deviceId, webhookId }: QueueKey, seq: number, attempt: AttemptValues): Unit<void> {
    const { at, status, durationMs, error, response, headers = null } = attempt;
    const detail: DeliveryDetail = { error, response, headers };
    const key = { deviceId, webhookId, seq };
    const sealed = sealDetail(
      sealer,
      detail,
      contextOf('attempts.detail', { device_id: deviceId, webhook_id: webhookId, seq, at }),
    );
    yield* insert.all({ ...key, at, status, durationMs, detail: sealed });
  };
};

const lastAttempt = (delivery: Delivery): readonly Attempt[] => {
  const { lastAttemptAt: at, lastStatus: status, lastDurationMs: durationMs, lastError: error } = delivery;
  if (at === null) return [];
  return [{ at, status, durationMs, error, response: delivery.lastResponse, headers: delivery.lastHeaders }];
};

const keptPage = (
  { sql, sealer, database }: Context,
  { key: { deviceId, webhookId }, seq }: FoundDelivery,
  { limit, cursor, bytes }: PageRequest,
): Promise<Page<Attempt>> => {
  const key = { device_id: deviceId, webhook_id: webhookId, seq };
  const ofDelivery = () =>
    sql
      .selectFrom('attempts')
      .where('device_id', '=', deviceId)
      .where('webhook_id', '=', webhookId)
      .where('seq', '=', seq);
  return listed({
    from: cursor === null ? null : decodeCursor('attempts', 1, cursor)[0]!,
    limit,
    bytes,
    heads: (after: number | null, count) => {
      const heads = ofDelivery().select(['at', text<number>`coalesce(octet_length(detail), 0)`.as('bytes')]);
      const query = heads.orderBy('at', 'desc').limit(count);
      return database.read(() => all(after === null ? query : query.where('at', '<', after)));
    },
    open: async (heads) => {
      const times = heads.map(({ at }) => at);
      const query = ofDelivery().select(['at', 'status', 'duration_ms', 'detail']).where('at', 'in', times);
      const rows = new Map((await database.read(() => all(query))).map((row) => [row.at, row]));
      return inTurns(times, (at): Attempt | null => {
        const row = rows.get(at);
        if (row === undefined) return null;
        const detail = openDetail(sealer, row.detail, row.status, contextOf('attempts.detail', { ...key, at }));
        return { at, status: row.status, durationMs: row.duration_ms, ...detail };
      });
    },
    keyOf: ({ at }) => at,
    cursorOf,
  });
};

const cursorOf = (at: number): string => encodeCursor('attempts', [at]);

export const attemptReader = (context: Context): Pick<Outbox, 'attempts'> => ({
  async attempts(deviceId, id, page, webhookId) {
    const found = await context.database.read(() => findDelivery(context, deviceId, id, webhookId));
    if (found === null) return null;
    const last = lastAttempt(found.delivery);
    const kept = await keptPage(context, found, page);
    if (page.cursor !== null || last.length === 0 || last[0]?.at === kept.items[0]?.at) return kept;
    const items = [...last, ...kept.items].slice(0, page.limit);
    const isWhole = items.length > kept.items.length && kept.nextCursor === null;
    return { items, nextCursor: isWhole ? null : cursorOf(items.at(-1)!.at) };
  },
});
