/** API keys: only their hashes are kept. */
import type { Selectable } from 'kysely';
import type { ApiKey, UserStore } from '../../domain/user.ts';
import { notFound } from '../../errors.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import type { ApiKeysTable } from '../base/schema.ts';
import { all, first, prepare } from '../base/unit.ts';

const columns = ['id', 'user_id', 'name', 'hint', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'] as const;

const keyOf = (row: Omit<Selectable<ApiKeysTable>, 'hash'>): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  hint: row.hint,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

type KeyStore = Pick<
  UserStore,
  'createKey' | 'findByKeyHash' | 'listKeys' | 'revokeKey' | 'setKeyExpiry' | 'touchKeys'
>;

const queriesOf = ({ sql }: Context) => ({
  byHash: prepare((p: { hash: Uint8Array; now: number }) =>
    sql
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .select(['api_keys.id', 'user_id', 'api_keys.name', 'hint', 'api_keys.created_at', 'last_used_at'])
      .select(['expires_at', 'revoked_at'])
      .select(['users.name as user_name', 'users.device_limit', 'users.created_at as user_created_at'])
      .where('hash', '=', p.hash)
      .where('revoked_at', 'is', null)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', p.now)])),
  ),
  touch: prepare((p: { id: number; at: number }) =>
    sql
      .updateTable('api_keys')
      .set({ last_used_at: p.at })
      .where('id', '=', p.id)
      .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', p.at)])),
  ),
});

export const keyStore = (context: Context): KeyStore => {
  const { sql, database } = context;
  const queries = queriesOf(context);
  const note = auditWriter(context);
  return {
    createKey: ({ userId, name, hint, hash, createdAt, expiresAt }, by) =>
      database.write(function* () {
        const user = yield* first(sql.selectFrom('users').select('id').where('id', '=', userId));
        if (user === undefined) throw notFound('User');
        const values = { user_id: userId, name, hint, hash, created_at: createdAt, expires_at: expiresAt };
        const row = yield* first(sql.insertInto('api_keys').values(values).returning(columns));
        yield* note(by, 'key.created', { userId, keyId: row!.id }, { name, expiresAt });
        return keyOf(row!);
      }),
    findByKeyHash: async (hash, now) => {
      const row = await database.read(() => queries.byHash.first({ hash, now }));
      if (row === undefined) return null;
      const { user_id: id, user_name: name, device_limit: deviceLimit, user_created_at: createdAt } = row;
      return { user: { id, name, deviceLimit, createdAt }, key: keyOf(row) };
    },
    listKeys: async (userId) => {
      const query = sql.selectFrom('api_keys').select(columns).where('user_id', '=', userId).orderBy('id');
      return (await database.read(() => all(query))).map(keyOf);
    },
    revokeKey: (userId, keyId, now, by) =>
      database.write(function* () {
        const query = sql
          .updateTable('api_keys')
          .set((e) => ({ revoked_at: e.fn.coalesce('revoked_at', e.val(now)) }))
          .where('id', '=', keyId)
          .where('user_id', '=', userId)
          .returning('id');
        const found = (yield* first(query)) !== undefined;
        if (found) yield* note(by, 'key.revoked', { userId, keyId });
        return found;
      }),
    setKeyExpiry: (userId, keyId, expiresAt, by) =>
      database.write(function* () {
        const query = sql
          .updateTable('api_keys')
          .set({ expires_at: expiresAt })
          .where('id', '=', keyId)
          .where('user_id', '=', userId)
          .returning(columns);
        const row = yield* first(query);
        if (row === undefined) return null;
        yield* note(by, 'key.expiry_changed', { userId, keyId }, { expiresAt });
        return keyOf(row);
      }),
    touchKeys: (used) =>
      database.write(function* () {
        for (const [id, at] of used) yield* queries.touch.all({ id, at });
      }),
  };
};
