/** Answers kept for an `Idempotency-Key` of a user's request (domain/messages/idempotency.ts). */
import type { Creation, CreationStore } from '../../domain/messages/idempotency.ts';
import { idempotencyKeyReused, requestRunning } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { CreationsTable } from './tables.ts';

const keptMs = 86_400_000;

type Row = Pick<CreationsTable, 'user_id' | 'key_hash'>;

export const creationContext = ({ user_id, key_hash }: Row): string => `creations.answer/${user_id}/${key_hash}`;

const rowOf = ({ sealer }: Context, { userId, key }: Creation): Row => ({
  user_id: userId,
  key_hash: sealer.lookup('creation', userId, key),
});

/** Keyed, because the request can be guessed. */
const fingerprintOf = ({ sealer }: Context, { userId, key, fingerprint }: Creation): string =>
  sealer.lookup('creation fingerprint', userId, `${key}\0${fingerprint}`);

/** Part of the creating transaction. Throws Conflict if another request has used the key meanwhile. */
export function* writeCreation(context: Context, once: Creation | undefined, answer: unknown): Unit<void> {
  if (once === undefined) return;
  const { sql, sealer } = context;
  const row = rowOf(context, once);
  const now = context.now();
  const own = sql.deleteFrom('creations').where('user_id', '=', row.user_id).where('key_hash', '=', row.key_hash);
  yield* all(own.where('created_at', '<=', now - keptMs));
  const written = yield* first(
    sql
      .insertInto('creations')
      .values({
        ...row,
        fingerprint: fingerprintOf(context, once),
        answer: sealer.sealJson(answer, creationContext(row)),
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
        .where('user_id', '=', row.user_id)
        .where('key_hash', '=', row.key_hash)
        .where('created_at', '>', context.now() - keptMs);
      const kept = await database.read(() => first(query));
      if (kept === undefined) return null;
      if (kept.fingerprint !== fingerprintOf(context, once)) throw idempotencyKeyReused();
      return { answer: sealer.openJson(kept.answer, creationContext(row)) };
    },
    answer: async (once, answer) => {
      const row = rowOf(context, once);
      const query = sql
        .updateTable('creations')
        .set({ answer: sealer.sealJson(answer, creationContext(row)) })
        .where('user_id', '=', row.user_id)
        .where('key_hash', '=', row.key_hash);
      await database.write(() => all(query));
    },
    forget: async (once) => {
      const row = rowOf(context, once);
      const query = sql.deleteFrom('creations').where('user_id', '=', row.user_id).where('key_hash', '=', row.key_hash);
      await database.write(() => all(query));
    },
  };
};
