/** Attempts of a delivery: written when they fail, read newest first. */
import type { Attempt, AttemptResult, Delivery, QueueKey } from '../../domain/delivery.ts';
import { sql as text } from 'kysely';
import type { Outbox, Page, PageRequest } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { inOrder, listed, decodeCursor, encodeCursor } from '../base/listed.ts';
import { type FoundDelivery, findDelivery } from './deliveries.ts';
import { openDetail, sealDetail } from '../sealing/rows.ts';
import { contextOf } from '../sealing/sealer.ts';
import { type Unit, all } from '../base/unit.ts';
import { adding } from '../base/statements.ts';

type AttemptValues = Pick<AttemptResult, 'at' | 'status' | 'durationMs' | 'error' | 'response' | 'headers'>;

export const attemptWriter = (context: Context) => {
  const { sealer } = context;
  const columns = ['device_id', 'webhook_id', 'seq', 'at', 'status', 'duration_ms', 'detail'] as const;
  const insert = adding(context, 'attempts', columns);
  return function* write({ deviceId, webhookId }: QueueKey, seq: number, attempt: AttemptValues): Unit<void> {
    const { at, status, durationMs, error, response, headers = null } = attempt;
    const key = { device_id: deviceId, webhook_id: webhookId, seq, at };
    const detail = sealDetail(sealer, { error, response, headers }, contextOf('attempts.detail', key));
    yield* insert.write([{ ...key, status, duration_ms: durationMs, detail }]);
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
    sql.selectFrom('attempts').where((e) => e.and({ device_id: deviceId, webhook_id: webhookId, seq }));
  return listed({
    from: cursor === null ? null : decodeCursor('attempts', 1, cursor)[0]!,
    limit,
    bytes,
    heads: (after: number | null, count: number) => {
      const heads = ofDelivery().select(['at', text<number>`coalesce(octet_length(detail), 0)`.as('bytes')]);
      const query = heads.orderBy('at', 'desc').limit(count);
      return database.read(() => all(after === null ? query : query.where('at', '<', after)));
    },
    open: async (heads) => {
      const times = heads.map(timeOf);
      const query = ofDelivery().select(['at', 'status', 'duration_ms', 'detail']).where('at', 'in', times);
      return inOrder(heads, await database.read(() => all(query)), timeOf, (row): Attempt => {
        const { at } = row;
        const detail = openDetail(sealer, row.detail, row.status, contextOf('attempts.detail', { ...key, at }));
        return { at, status: row.status, durationMs: row.duration_ms, ...detail };
      });
    },
    keyOf: timeOf,
    cursorOf,
  });
};

const timeOf = ({ at }: { readonly at: number }): number => at;

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
