/** API keys: only their hashes are kept. */
import { writeCreation } from '../messages/idempotency.ts';
import type { ExpressionBuilder, InferResult, Selectable } from 'kysely';
import { type ApiKey, type KeyLimits, maxEndedKeys, maxKeys, type UserStore } from '../../domain/user.ts';
import { HandsetError, notFound } from '../../errors.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import type { ApiKeysTable, Schema } from '../base/schema.ts';
import { all, first, prepare, type Unit } from '../base/unit.ts';

const columns = [
  'id',
  'user_id as userId',
  'name',
  'hint',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'devices',
  'actions',
] as const;

/** A limited key's hash is stored differently, so a version without limits does not find it. */
const closed = (hash: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(1), hash]);

const hashLength = 32;

const written = (list: readonly unknown[] | null): string | null => (list === null ? null : JSON.stringify(list));

type Row = Omit<ApiKey, keyof KeyLimits> & Pick<Selectable<ApiKeysTable>, 'devices' | 'actions'>;

/** What is read is what `written` wrote. */
const keyOf = ({ devices, actions, ...key }: Row): ApiKey => ({
  ...key,
  devices: JSON.parse(devices ?? 'null'),
  actions: JSON.parse(actions ?? 'null'),
});

type KeyStore = Pick<UserStore, 'createKey' | 'findByKeyHash' | 'listKeys' | 'revokeKey' | 'updateKey' | 'touchKeys'>;

const isValid = (now: number) => (e: ExpressionBuilder<Schema, 'api_keys'>) =>
  e.and([
    e('revoked_at', 'is', null),
    e.or([e('api_keys.expires_at', 'is', null), e('api_keys.expires_at', '>', now)]),
  ]);

export const validKeys = ({ sql }: Context, now: number) =>
  sql
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(columns.map((column) => `api_keys.${column}` as const))
    .select(['users.name as userName', 'users.device_limit as deviceLimit', 'users.created_at as userCreatedAt'])
    .where(isValid(now));

export const holderOf = (row: InferResult<ReturnType<typeof validKeys>>[number] | undefined) => {
  if (row === undefined) return null;
  const { userName: name, deviceLimit, userCreatedAt: createdAt, ...key } = row;
  return { user: { id: key.userId, name, deviceLimit, createdAt }, key: keyOf(key) };
};

const queriesOf = (context: Context) => ({
  byHash: prepare((p: { hash: Uint8Array; closedHash: Uint8Array; now: number }) =>
    validKeys(context, p.now).where('api_keys.hash', 'in', [p.hash, p.closedHash]),
  ),
  touch: prepare((p: { id: number; at: number }) =>
    context.sql
      .updateTable('api_keys')
      .set({ last_used_at: p.at })
      .where('id', '=', p.id)
      .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', p.at)])),
  ),
});

/** Locks the user, so that two calls cannot both take the last place. `keyId`: of the key that takes it. Throws NotFound and Conflict. */
function* takePlace({ sql, database, now }: Context, userId: number, keyId: number | null): Unit<void> {
  const user = sql.selectFrom('users').select('id').where('id', '=', userId);
  if ((yield* first(user.$if(database.shared, (query) => query.forUpdate()))) === undefined) throw notFound('User');
  const keys = sql.selectFrom('api_keys').where('user_id', '=', userId);
  const others = keys.where('id', '<>', keyId ?? 0).where(isValid(now()));
  const { count } = (yield* first(others.select((e) => e.fn.countAll<number>().as('count'))))!;
  if (count >= maxKeys) {
    const most = maxKeys.toLocaleString('en');
    throw new HandsetError('Conflict', `The account has the maximum of ${most} API keys; revoke one first`);
  }
  const ended = keys
    .where((e) => e.not(isValid(now())(e)))
    .select('id')
    .orderBy('id', 'desc');
  const oldest = ended.limit(maxEndedKeys).offset(maxEndedKeys);
  yield* all(sql.deleteFrom('api_keys').where('id', 'in', oldest));
}

const keyUpdater = (context: Context): KeyStore['updateKey'] => {
  const { sql, database } = context;
  const note = auditWriter(context);
  function* close({ id, devices, actions }: Pick<ApiKey, 'id' | 'devices' | 'actions'>): Unit<void> {
    const keys = sql.updateTable('api_keys').where('id', '=', id);
    const { hash } = (yield* first(sql.selectFrom('api_keys').select('hash').where('id', '=', id)))!;
    const open = hash.length === hashLength ? hash : hash.subarray(1);
    yield* all(keys.set({ hash: devices === null && actions === null ? open : closed(open) }));
  }
  return (userId, keyId, { expiresAt, devices, actions }, by) =>
    database.write(function* () {
      if (expiresAt === null || (expiresAt ?? 0) > context.now()) yield* takePlace(context, userId, keyId);
      const limits = {
        ...(devices !== undefined && { devices: written(devices) }),
        ...(actions !== undefined && { actions: written(actions) }),
      };
      const query = sql
        .updateTable('api_keys')
        .set((e) => ({ name: e.ref('name'), ...limits, ...(expiresAt !== undefined && { expires_at: expiresAt }) }))
        .where((e) => e.and({ id: keyId, user_id: userId }))
        .returning(columns);
      const row = yield* first(query);
      if (row === undefined) return null;
      if (Object.keys(limits).length > 0) yield* close(keyOf(row));
      if (expiresAt !== undefined) yield* note(by, 'key.expiry_changed', { userId, keyId }, { expiresAt });
      if (Object.keys(limits).length > 0) yield* note(by, 'key.limited', { userId, keyId }, limits);
      return keyOf(row);
    });
};

export const keyStore = (context: Context): KeyStore => {
  const { sql, database } = context;
  const queries = queriesOf(context);
  const note = auditWriter(context);
  return {
    createKey: ({ userId, name, hint, hash, createdAt, expiresAt, devices = null, actions = null }, by, once) =>
      database.write(function* () {
        yield* takePlace(context, userId, null);
        const limits = { devices: written(devices), actions: written(actions) };
        const isLimited = devices !== null || actions !== null;
        const values = {
          user_id: userId,
          name,
          hint,
          hash: isLimited ? closed(hash) : hash,
          created_at: createdAt,
          expires_at: expiresAt,
          ...limits,
        };
        const row = yield* first(sql.insertInto('api_keys').values(values).returning(columns));
        yield* note(by, 'key.created', { userId, keyId: row!.id }, { name, expiresAt, ...(isLimited && limits) });
        const key = keyOf(row!);
        yield* writeCreation(context, once?.creation, { key, secret: once?.secret });
        return key;
      }),
    findByKeyHash: async (hash, now) =>
      holderOf(await database.read(() => queries.byHash.first({ hash, closedHash: closed(hash), now }))),
    listKeys: async (userId) => {
      const query = sql.selectFrom('api_keys').select(columns).where('user_id', '=', userId).orderBy('id');
      return (await database.read(() => all(query))).map(keyOf);
    },
    revokeKey: (userId, keyId, now, by) =>
      database.write(function* () {
        const query = sql
          .updateTable('api_keys')
          .set((e) => ({ revoked_at: e.fn.coalesce('revoked_at', e.val(now)) }))
          .where((e) => e.and({ id: keyId, user_id: userId }))
          .returning('id');
        const found = (yield* first(query)) !== undefined;
        if (found) yield* note(by, 'key.revoked', { userId, keyId });
        return found;
      }),
    updateKey: keyUpdater(context),
    touchKeys: (used) =>
      database.write(function* () {
        for (const [id, at] of used) yield* queries.touch.all({ id, at });
      }),
  };
};
