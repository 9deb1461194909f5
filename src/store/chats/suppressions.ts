/** Suppressed persons: found by keyed hashes of number and LID, which are stored sealed. */
import type { StopWord, Suppression, SuppressionStore } from '../../domain/chats/suppressions.ts';
import { numberVariants } from '../../domain/chats/recipient.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import { decodeCursor, pageOf } from '../base/listed.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { makeResolve } from '../messages/resolve.ts';
import { contextOf } from '../sealing/sealer.ts';

interface Hashes {
  readonly user_id: number;
  readonly number_hash: string | null;
  readonly lid_hash: string | null;
}

type Entry = Omit<Suppression, 'createdAt'>;

/** Hashes of the number in each spelling, and of the LID. */
const namesOf = ({ sealer }: Context, userId: number, { number, lid }: Pick<Entry, 'number' | 'lid'>): string[] =>
  [...(number === null ? [] : numberVariants(number)), lid].flatMap((text) =>
    text === null ? [] : [sealer.lookup('suppression', userId, text)],
  );

const hashesOf = ({ sealer }: Context, userId: number, { number, lid }: Pick<Entry, 'number' | 'lid'>): Hashes => ({
  user_id: userId,
  number_hash: number === null ? null : sealer.lookup('suppression', userId, number),
  lid_hash: lid === null ? null : sealer.lookup('suppression', userId, lid),
});

const personIn = (person: Jid): Pick<Entry, 'number' | 'lid'> =>
  jidKind(person) === 'lid' ? { number: null, lid: person } : { number: jidUser(person), lid: null };

/** A person already listed only gets the new reason. */
const makeAdd = (context: Context) => {
  const { sql, sealer, suppressing } = context;
  function* find(userId: number, names: readonly string[]) {
    const query = sql.selectFrom('suppressions').selectAll().where('user_id', '=', userId);
    return yield* first(query.where((e) => e.or([e('number_hash', 'in', names), e('lid_hash', 'in', names)])));
  }
  return function* add(userId: number, entry: Entry, now: number): Unit<Suppression> {
    suppressing.add(userId);
    const hashes = hashesOf(context, userId, entry);
    const names = namesOf(context, userId, entry);
    const there = yield* find(userId, names);
    if (there === undefined) {
      const data = sealer.sealJson(entry, contextOf('suppressions.data', hashes));
      const insert = sql.insertInto('suppressions').values({ ...hashes, data, created_at: now });
      const made = yield* first(insert.onConflict((c) => c.doNothing()).returning('id'));
      if (made !== undefined) return { ...entry, createdAt: now };
    }
    const row = there ?? (yield* find(userId, names))!;
    const before = sealer.openJson(row.data, contextOf('suppressions.data', row));
    if (entry.reason === null || entry.source === 'stopWord') return { ...before, createdAt: row.created_at };
    const after = { ...before, reason: entry.reason };
    const resealed = sealer.sealJson(after, contextOf('suppressions.data', row));
    yield* all(sql.updateTable('suppressions').set({ data: resealed }).where('id', '=', row.id));
    return { ...after, createdAt: row.created_at };
  };
};

type WriteStopWords = (
  deviceId: number,
  said: readonly StopWord[],
  isNew: (messageId: string) => boolean,
) => Unit<void>;

export const stopWordWriter = (context: Context): WriteStopWords => {
  const { sql, now } = context;
  const add = makeAdd(context);
  return function* write(deviceId, said, isNew) {
    const device = yield* first(sql.selectFrom('devices').select('user_id').where('id', '=', deviceId));
    for (const { messageId, arrived, number, lid, word } of said) {
      if (device === undefined || !(arrived || isNew(messageId))) continue;
      yield* add(device.user_id, { number, lid, reason: `Wrote "${word}"`, source: 'stopWord' }, now());
    }
  };
};

const makeHas = (context: Context) => {
  const { sql, sealer } = context;
  const resolve = makeResolve(context);
  return function* has(deviceId: number, person: Jid): Unit<boolean> {
    const device = yield* first(sql.selectFrom('devices').select('user_id').where('id', '=', deviceId));
    if (device === undefined) return false;
    const [name] = yield* resolve(deviceId, [{ jid: person }]);
    const addresses = [person, name!.jid, name!.lid].flatMap((jid) => {
      if (jid === null) return [];
      return jidKind(jid) === 'lid' ? [jid] : numberVariants(jidUser(jid));
    });
    const hashes = [...new Set(addresses)].map((text) => sealer.lookup('suppression', device.user_id, text));
    const query = sql.selectFrom('suppressions').select('id').where('user_id', '=', device.user_id);
    const found = query.where((e) => e.or([e('number_hash', 'in', hashes), e('lid_hash', 'in', hashes)])).limit(1);
    return (yield* first(found)) !== undefined;
  };
};

export const suppressionStore = (context: Context): SuppressionStore => {
  const { sql, database, sealer } = context;
  const add = makeAdd(context);
  const has = makeHas(context);
  return {
    users: context.suppressing.users,
    add: (userId, { number, reason }, now) =>
      database.write(() => add(userId, { number, lid: null, reason, source: 'request' }, now)),
    remove: async (userId, person) => {
      const names = namesOf(context, userId, personIn(person));
      const query = sql.deleteFrom('suppressions').where('user_id', '=', userId).returning('id');
      const named = query.where((e) => e.or([e('number_hash', 'in', names), e('lid_hash', 'in', names)]));
      return (await database.write(() => all(named))).length > 0;
    },
    list: async (userId, { limit, cursor }) => {
      const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor('suppressions', 1, cursor)[0]!;
      const query = sql.selectFrom('suppressions').selectAll().where('user_id', '=', userId).where('id', '<', before);
      const rows = await database.read(() => all(query.orderBy('id', 'desc').limit(limit + 1)));
      return pageOf('suppressions', rows, limit, {
        item: ({ created_at: createdAt, ...row }) => ({
          ...sealer.openJson(row.data, contextOf('suppressions.data', row)),
          createdAt,
        }),
        key: ({ id }) => [id],
      });
    },
    has: (deviceId, person) => database.read(() => has(deviceId, person)),
  };
};
