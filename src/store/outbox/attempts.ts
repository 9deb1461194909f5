/** Attempts of a delivery: written when they fail, read newest first. */
import type { Attempt, AttemptResult } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { findDelivery } from './deliveries.ts';
import { seqOf } from '../events/ids.ts';
import { attemptContext, type DeliveryDetail, openDetail, sealDetail } from '../sealing/rows.ts';
import { type Unit, all, prepare } from '../unit.ts';

type AttemptValues = Pick<AttemptResult, 'at' | 'status' | 'durationMs' | 'error' | 'response'>;

export const attemptWriter = ({ sql, sealer }: Context) => {
  const insert = prepare(
    (p: {
      deviceId: number;
      seq: number;
      at: number;
      status: number | null;
      durationMs: number;
      detail: ReturnType<typeof sealDetail>;
    }) =>
      sql
        .insertInto('attempts')
        .values({
          device_id: p.deviceId,
          seq: p.seq,
          at: p.at,
          status: p.status,
          duration_ms: p.durationMs,
          detail: p.detail,
        })
        .onConflict((c) => c.columns(['device_id', 'seq', 'at']).doNothing()),
  );
  return function* write(deviceId: number, seq: number, attempt: AttemptValues): Unit<void> {
    const { at, status, durationMs, error, response } = attempt;
    const detail: DeliveryDetail = { error, response };
    const context = attemptContext(deviceId, seq, at);
    yield* insert.all({ deviceId, seq, at, status, durationMs, detail: sealDetail(sealer, detail, context) });
  };
};

const select = ({ sql }: Context, deviceId: number, seq: number, limit: number) =>
  sql
    .selectFrom('attempts')
    .select(['at', 'status', 'duration_ms', 'detail'])
    .where('device_id', '=', deviceId)
    .where('seq', '=', seq)
    .orderBy('at', 'desc')
    .limit(limit);

/** A success is in the delivery alone until it is followed by a retry. */
function* lastAttempt(context: Context, deviceId: number, seq: number): Unit<readonly Attempt[] | null> {
  const delivery = yield* findDelivery(context, deviceId, seq);
  if (delivery === null) return null;
  const { lastAttemptAt: at, lastStatus: status, lastDurationMs: durationMs, lastError: error } = delivery;
  if (at === null) return [];
  return [{ at, status, durationMs, error, response: delivery.lastResponse }];
}

function* list(
  context: Context,
  deviceId: number,
  seq: number,
  { limit, cursor }: Parameters<Outbox['attempts']>[2],
): Unit<readonly Attempt[] | null> {
  const last = yield* lastAttempt(context, deviceId, seq);
  if (last === null) return null;
  let query = select(context, deviceId, seq, limit + 1);
  if (cursor !== null) query = query.where('at', '<', decodeCursor('attempts', 1, cursor)[0]!);
  const attempts = (yield* all(query)).map((row): Attempt => {
    const detail = openDetail(context.sealer, row.detail, row.status, attemptContext(deviceId, seq, row.at));
    return { at: row.at, status: row.status, durationMs: row.duration_ms, ...detail };
  });
  return cursor === null && last[0]?.at !== attempts[0]?.at ? [...last, ...attempts] : attempts;
}

export const attemptReader = (context: Context): Pick<Outbox, 'attempts'> => ({
  async attempts(deviceId, id, page) {
    const seq = seqOf('dlv', deviceId, id);
    const attempts = seq === null ? null : await context.database.read(() => list(context, deviceId, seq, page));
    return attempts === null
      ? null
      : pageOf('attempts', attempts, page.limit, { item: (attempt) => attempt, key: ({ at }) => [at] });
  },
});
