/** Users: created, read, changed and removed. */
import type { RateStore } from '../../domain/lease.ts';
import type { Context } from '../base/context.ts';
import type { User, UserStore } from '../../domain/user.ts';
import { HandsetError, notFound } from '../../errors.ts';
import { auditWriter } from '../sealing/audit.ts';
import { forgetEmptied } from '../devices/device-removal.ts';
import { keyStore, holderOf, validKeys } from './keys.ts';
import { type Unit, all, first, prepare } from '../base/unit.ts';

const text = (() => {
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
  const kept = `array(select t from unnest(r.times) t where t > ${now} - $2 order by t)`;
  return `insert into rates as r (user_id, times, allowed)
values ($1, case when $3 > 0 then array[${now}] else '{}' end, case when $3 > 0 then 1 else 0 end)
on conflict (user_id) do update set
  times = case when cardinality(${kept}) < $3 then ${kept} || ${now} else ${kept} end,
  allowed = case when cardinality(${kept}) < $3 then 1 else 0 end
returning allowed, cardinality(times) as count, coalesce(times[1], ${now}) + $2 - ${now} as reset_ms,
  $4::bigint is null or exists (
    select from api_keys k where k.id = $4 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $5)
  ) as valid`;
})();

interface Row {
  readonly allowed: number;
  readonly count: number;
  readonly reset_ms: number;
  readonly valid: boolean;
}

export const rateStore = ({ database, now }: Pick<Context, 'database' | 'now'>): RateStore => ({
  take: async (userId, limit, windowMs, keyId = null) => {
    const row = await database.read(function* () {
      const rows: Row[] = yield { sql: text, values: [userId, windowMs, limit, keyId, now()] };
      return rows[0]!;
    });
    const { allowed, count, reset_ms: resetMs, valid } = row;
    return { allowed: allowed === 1, remaining: Math.max(0, limit - count), used: count, resetMs, valid };
  },
});

const userColumns = ['id', 'name', 'device_limit as deviceLimit', 'created_at as createdAt'] as const;

/** A row of SQLite has no prototype. */
const userOf = (row: User): User => ({ ...row });

const nameTaken = (): HandsetError => new HandsetError('Conflict', 'A user with this name already exists');

const maxSignIns = 100;

/** Browsers signed in to the dashboard: only hashes of their tokens are stored. */
const signInStore = (context: Context): Pick<UserStore, 'createSignIn' | 'deleteSignIn' | 'findBySignIn'> => {
  const { sql, database } = context;
  const bySignIn = prepare((p: { hash: Uint8Array; now: number }) =>
    validKeys(context, p.now)
      .innerJoin('sign_ins', 'sign_ins.key_id', 'api_keys.id')
      .where('sign_ins.hash', '=', p.hash)
      .where('sign_ins.expires_at', '>', p.now),
  );
  return {
    findBySignIn: async (hash, now) => holderOf(await database.read(() => bySignIn.first({ hash, now }))),
    createSignIn: ({ hash, keyId, expiresAt }, now) =>
      database.write(function* () {
        const signIns = sql.deleteFrom('sign_ins');
        yield* all(signIns.where('expires_at', '<=', now));
        const newest = sql
          .selectFrom('sign_ins')
          .select('hash')
          .where('key_id', '=', keyId)
          .orderBy('expires_at', 'desc')
          .limit(maxSignIns - 1);
        yield* all(signIns.where('key_id', '=', keyId).where('hash', 'not in', newest));
        yield* all(sql.insertInto('sign_ins').values({ hash, key_id: keyId, expires_at: expiresAt }));
      }),
    deleteSignIn: (hash) =>
      database.write(function* () {
        yield* all(sql.deleteFrom('sign_ins').where('hash', '=', hash));
      }),
  };
};

export const userStore = (context: Context): UserStore => {
  const { sql, database } = context;
  const users = sql.selectFrom('users').select(userColumns);
  const note = auditWriter(context);

  const found = async (query: typeof users): Promise<User | null> => {
    const row = await database.read(() => first(query));
    return row === undefined ? null : userOf(row);
  };

  function* assertFree(name: string, exceptId: number): Unit<void> {
    const other = yield* first(users.where('name', '=', name).where('id', '!=', exceptId));
    if (other !== undefined) throw nameTaken();
  }

  return {
    create: (name, deviceLimit, now, by) =>
      database.write(function* () {
        const values = { name, device_limit: deviceLimit, created_at: now };
        const insert = sql
          .insertInto('users')
          .values(values)
          .onConflict((c) => c.column('name').doNothing());
        const row = yield* first(insert.returning(userColumns));
        if (row === undefined) throw nameTaken();
        yield* note(by, 'user.created', { userId: row.id }, { name, deviceLimit });
        return userOf(row);
      }),
    find: (id) => found(users.where('id', '=', id)),
    findByName: (name) => found(users.where('name', '=', name)),
    list: async () => (await database.read(() => all(users.orderBy('id')))).map(userOf),
    update: (id, { name, deviceLimit }, by) =>
      database.write(function* () {
        if (name !== undefined) yield* assertFree(name, id);
        const set = {
          ...(name === undefined ? {} : { name }),
          ...(deviceLimit === undefined ? {} : { device_limit: deviceLimit }),
        };
        if (Object.keys(set).length > 0) yield* all(sql.updateTable('users').set(set).where('id', '=', id));
        const row = yield* first(users.where('id', '=', id));
        if (row === undefined) throw notFound('User');
        const detail = {
          ...(name === undefined ? {} : { name }),
          ...(deviceLimit === undefined ? {} : { deviceLimit }),
        };
        if (Object.keys(set).length > 0) yield* note(by, 'user.updated', { userId: id }, detail);
        return userOf(row);
      }),
    delete: (id, by) =>
      database.write(function* () {
        yield* forgetEmptied(context, id);
        const device = yield* first(sql.selectFrom('devices').select('id').where('user_id', '=', id).limit(1));
        if (device !== undefined) throw new HandsetError('Conflict', 'The user still has devices; delete them first');
        yield* all(sql.deleteFrom('api_keys').where('user_id', '=', id));
        const gone = yield* first(sql.deleteFrom('users').where('id', '=', id).returning('id'));
        if (gone === undefined) throw notFound('User');
        yield* note(by, 'user.deleted', { userId: id });
      }),
    ...keyStore(context),
    ...signInStore(context),
  };
};
