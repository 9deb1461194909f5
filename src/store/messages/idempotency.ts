/** Idempotency-Key records (docs/spec/http-interface.md, Idempotency: kept 24 h, exact across a crash). */
import type { IdempotencyStore, Creation, CreationStore } from '../../domain/messages/idempotency.ts';
import { deviceNotFound, idempotencyKeyReused, requestRunning } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { IdempotencyTable, CreationsTable } from './tables.ts';
import { contextOf } from '../sealing/sealer.ts';

const keptMs = 86_400_000;

type Entry = Parameters<IdempotencyStore['begin']>[0];
type Answer = Awaited<ReturnType<IdempotencyStore['begin']>>;

const keyOf = ({ sealer }: Context, deviceId: number, key: string) => ({
  device_id: deviceId,
  key_hash: sealer.lookup('idempotency', deviceId, key),
});

/** Keyed, because texts and numbers can be guessed. */
const keyedFingerprint = ({ sealer }: Context, { deviceId, key, fingerprint }: Entry): string =>
  sealer.lookup('fingerprint', deviceId, `${key}\0${fingerprint}`);

function* begin(context: Context, entry: Entry): Unit<Answer> {
  const { sql, sealer } = context;
  const { deviceId, messageId, runId, now } = entry;
  const fingerprint = keyedFingerprint(context, entry);
  const key = keyOf(context, deviceId, entry.key);
  const device = sql.selectFrom('devices').select('id').where('id', '=', deviceId).where('deleted', '=', 0);
  if ((yield* first(device)) === undefined) throw deviceNotFound();
  const own = sql.deleteFrom('idempotency').where((e) => e.and(key));
  yield* all(own.where('created_at', '<=', now - keptMs));
  const claimed = yield* first(
    sql
      .insertInto('idempotency')
      .values({
        ...key,
        fingerprint,
        message_id: messageId,
        run_id: runId,
        done: 0,
        created_at: now,
      })
      .onConflict((c) => c.columns(['device_id', 'key_hash']).doNothing())
      .returning('message_id'),
  );
  if (claimed !== undefined) return { kind: 'new', messageId };
  const present = sql
    .selectFrom('idempotency')
    .selectAll()
    .where((e) => e.and(key));
  const kept = yield* first(present);
  if (kept === undefined) return { kind: 'running' };
  if (kept.fingerprint !== fingerprint) return { kind: 'mismatch' };
  const done = (row: IdempotencyTable): Answer => {
    const answer = row.answer === null ? null : sealer.openJson(row.answer, contextOf('idempotency.answer', row));
    return { kind: 'done', messageId: row.message_id, answer };
  };
  if (kept.done === 1) return done(kept);
  if (kept.run_id === runId) return { kind: 'running' };
  // Only one of two callers may take over a crashed run.
  const taken = yield* first(
    sql
      .updateTable('idempotency')
      .set({ run_id: runId })
      .where((e) => e.and({ ...key, run_id: kept.run_id, done: 0 }))
      .returning('message_id'),
  );
  if (taken !== undefined) return { kind: 'resume', messageId: taken.message_id, startedAt: kept.created_at };
  const finished = yield* first(present.where('done', '=', 1));
  return finished === undefined ? { kind: 'running' } : done(finished);
}

export const idempotencyStore = (context: Context): IdempotencyStore => {
  const { sql, sealer, database } = context;
  return {
    begin: (entry) => database.write(() => begin(context, entry)),
    finish: async (deviceId, key, answer) => {
      const row = keyOf(context, deviceId, key);
      const of = contextOf('idempotency.answer', row);
      const query = sql
        .updateTable('idempotency')
        .set({ done: 1, ...(answer !== undefined && { answer: sealer.sealJson(answer, of) }) })
        .where((e) => e.and(row));
      await database.write(() => all(query));
    },
    abandon: async (deviceId, key, runId) => {
      const query = sql
        .deleteFrom('idempotency')
        .where((e) => e.and({ ...keyOf(context, deviceId, key), run_id: runId, done: 0 }));
      await database.write(() => all(query));
    },
  };
};

type Row = Pick<CreationsTable, 'user_id' | 'key_hash'>;

const rowOf = ({ sealer }: Context, { userId, key }: Creation): Row => ({
  user_id: userId,
  key_hash: sealer.lookup('creation', userId, key),
});

const fingerprintOf = ({ sealer }: Context, { userId, key, fingerprint }: Creation): string =>
  sealer.lookup('creation fingerprint', userId, `${key}\0${fingerprint}`);

/** Part of the creating transaction. Throws Conflict if another request has used the key meanwhile. */
export function* writeCreation(context: Context, once: Creation | undefined, answer: unknown): Unit<void> {
  if (once === undefined) return;
  const { sql, sealer } = context;
  const row = rowOf(context, once);
  const now = context.now();
  const own = sql.deleteFrom('creations').where((e) => e.and(row));
  yield* all(own.where('created_at', '<=', now - keptMs));
  const written = yield* first(
    sql
      .insertInto('creations')
      .values({
        ...row,
        fingerprint: fingerprintOf(context, once),
        answer: sealer.sealJson(answer, contextOf('creations.answer', row)),
        created_at: now,
      })
      .onConflict((c) => c.columns(['user_id', 'key_hash']).doNothing())
      .returning('created_at'),
  );
  if (written === undefined) throw requestRunning();
}

export const creationStore = (context: Context): CreationStore => {
  const { sql, sealer, database } = context;
  return {
    find: async (once) => {
      const row = rowOf(context, once);
      const query = sql
        .selectFrom('creations')
        .selectAll()
        .where((e) => e.and(row))
        .where('created_at', '>', context.now() - keptMs);
      const kept = await database.read(() => first(query));
      if (kept === undefined) return null;
      if (kept.fingerprint !== fingerprintOf(context, once)) throw idempotencyKeyReused();
      return { answer: sealer.openJson(kept.answer, contextOf('creations.answer', row)) };
    },
    answer: async (once, answer) => {
      const row = rowOf(context, once);
      const query = sql
        .updateTable('creations')
        .set({ answer: sealer.sealJson(answer, contextOf('creations.answer', row)) })
        .where((e) => e.and(row));
      await database.write(() => all(query));
    },
    forget: async (once) => {
      const row = rowOf(context, once);
      const query = sql.deleteFrom('creations').where((e) => e.and(row));
      await database.write(() => all(query));
    },
  };
};
