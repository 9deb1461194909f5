/** Attempts of a delivery: written when they fail, read newest first. */
import type { Attempt, AttemptResult, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { findDelivery, namedDelivery } from './deliveries.ts';
import { type QueueTables, byKind, kindOf } from './queues.ts';
import { attemptContext, type DeliveryDetail, openDetail, sealDetail } from '../sealing/rows.ts';
import { type Unit, all, prepare } from '../unit.ts';

type AttemptValues = Pick<AttemptResult, 'at' | 'status' | 'durationMs' | 'error' | 'response' | 'headers'>;

export const attemptWriter = ({ sql, sealer }: Context, { attempts, owner, values }: QueueTables) => {
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
        .insertInto(attempts)
        .values({
          ...values(p),
          seq: p.seq,
          at: p.at,
          status: p.status,
          duration_ms: p.durationMs,
          detail: p.detail,
        })
        .onConflict((c) => c.columns([...owner, 'seq', 'at']).doNothing()),
  );
  return function* write(key: QueueKey, seq: number, attempt: AttemptValues): Unit<void> {
    const { at, status, durationMs, error, response, headers = null } = attempt;
    const detail: DeliveryDetail = { error, response, headers };
    const { deviceId, webhookId } = key;
    const sealed = sealDetail(sealer, detail, attemptContext(deviceId, seq, at, webhookId));
    yield* insert.all({ deviceId, webhookId, seq, at, status, durationMs, detail: sealed });
  };
};

const select = ({ sql }: Context, { attempts, of }: QueueTables, key: QueueKey, seq: number, limit: number) =>
  sql
    .selectFrom(attempts)
    .select(['at', 'status', 'duration_ms', 'detail'])
    .where(of(key))
    .where('seq', '=', seq)
    .orderBy('at', 'desc')
    .limit(limit);

/** A success is in the delivery alone until it is followed by a retry. */
function* lastAttempt(context: Context, key: QueueKey, seq: number): Unit<readonly Attempt[] | null> {
  const delivery = yield* findDelivery(context, key, seq);
  if (delivery === null) return null;
  const { lastAttemptAt: at, lastStatus: status, lastDurationMs: durationMs, lastError: error } = delivery;
  if (at === null) return [];
  return [{ at, status, durationMs, error, response: delivery.lastResponse, headers: delivery.lastHeaders }];
}

function* list(
  context: Context,
  tables: QueueTables,
  key: QueueKey,
  seq: number,
  { limit, cursor }: Parameters<Outbox['attempts']>[2],
): Unit<readonly Attempt[] | null> {
  const last = yield* lastAttempt(context, key, seq);
  if (last === null) return null;
  let query = select(context, tables, key, seq, limit + 1);
  if (cursor !== null) query = query.where('at', '<', decodeCursor('attempts', 1, cursor)[0]!);
  const attempts = (yield* all(query)).map((row): Attempt => {
    const name = attemptContext(key.deviceId, seq, row.at, key.webhookId);
    const detail = openDetail(context.sealer, row.detail, row.status, name);
    return { at: row.at, status: row.status, durationMs: row.duration_ms, ...detail };
  });
  return cursor === null && last[0]?.at !== attempts[0]?.at ? [...last, ...attempts] : attempts;
}

export const attemptReader = (context: Context): Pick<Outbox, 'attempts'> => {
  const kinds = byKind(context, ({ tables }) => tables);
  return {
    async attempts(deviceId, id, page, webhookId = 0) {
      const named = namedDelivery(deviceId, id, webhookId);
      if (named === null) return null;
      const { key, seq } = named;
      const attempts = await context.database.read(() => list(context, kindOf(kinds, webhookId), key, seq, page));
      if (attempts === null) return null;
      return pageOf('attempts', attempts, page.limit, { item: (attempt) => attempt, key: ({ at }) => [at] });
    },
  };
};
