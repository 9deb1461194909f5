/** Reads chats: one by either address, and pages, newest activity first. */
import type { Chat, MutedUntil } from '../../domain/chats/chat.ts';
import { timerKey } from '../../domain/chats/chat.ts';
import type { ChatFilter, ChatStore, Page } from '../../domain/stores.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { catchUp } from './catch-up.ts';
import { matches, searched } from './name-search.ts';
import { makeResolve } from './resolve.ts';
import { decodeHashCursor, pageOf } from '../events/cursor.ts';
import { keyReader } from '../devices/keys.ts';
import { openMessage } from '../sealing/rows.ts';
import { addressesIn, isGroupName, type Name, nameContext, nameHash } from '../sealing/names.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { messageColumns } from '../messages/messages.ts';
import { type Unit, all } from '../unit.ts';
import type { Schema } from '../schema.ts';
import type { ExpressionBuilder } from 'kysely';

type Key = readonly [at: number, hash: string];

const ofDevice = ({ sql }: Context, deviceId: number) =>
  sql
    .selectFrom('chats as c')
    .leftJoin('contacts as p', (join) =>
      join.onRef('p.device_id', '=', 'c.device_id').onRef('p.jid_hash', '=', 'c.jid_hash'),
    )
    .select(['c.device_id', 'c.jid_hash', 'c.lid_hash', 'c.data', 'c.name', 'c.at', 'c.unread', 'c.archived'])
    .select(['c.pinned_at', 'c.muted_until', 'c.timer', 'p.saved', 'p.push_name', 'p.business_name'])
    .where('c.device_id', '=', deviceId);

type RowsOf<Q> = Q extends { execute(): Promise<infer R> } ? R : never;
type Row = RowsOf<ReturnType<typeof ofDevice>>[number];

const newestFirst = (context: Context, deviceId: number, filter: ChatFilter, after: Key | null, count: number) => {
  let query = ofDevice(context, deviceId).orderBy('c.at', 'desc').orderBy('c.jid_hash', 'desc').limit(count);
  if (filter.unread === true) query = query.where('c.unread', '>', 0);
  if (filter.archived !== undefined) query = query.where('c.archived', '=', filter.archived ? 1 : 0);
  if (after === null) return query;
  return query.where((e) => e(e.refTuple('c.at', 'c.jid_hash'), '<', e.tuple(after[0], after[1])));
};

/** Parts of a chat that are not in its row. */
interface Beside {
  readonly lastMessage: MessageRecord | null;
  readonly timer: number | null;
}

const decoder = new TextDecoder();

/** Number of the newest message under one of a chat's names. */
const newestUnder = (e: ExpressionBuilder<Schema & { c: Schema['chats'] }, 'c'>, name: 'c.jid_hash' | 'c.lid_hash') =>
  e
    .selectFrom('messages as m')
    .select('m.n')
    .whereRef('m.device_id', '=', 'c.device_id')
    .whereRef('m.chat_hash', '=', name)
    .where('m.state', '!=', 'action')
    .orderBy('m.timestamp', 'desc')
    .orderBy('m.n', 'desc')
    .limit(1);

/** A timer may be kept under either address: the LID was not known from the beginning. */
const timerReader = (context: Context) => {
  const readKeys = keyReader(context);
  return function* timers(deviceId: number, names: readonly Name[]): Unit<readonly (number | null)[]> {
    const ids = names.map((name) => (isGroupName(name) ? [] : [name.lid, name.jid].filter((id) => id !== null)));
    const every = ids.flat();
    if (every.length === 0) return names.map(() => null);
    const values = yield* readKeys(
      deviceId,
      every.map((id) => ({ type: timerKey, id })),
    );
    const found = new Map(every.map((id, index) => [id, values[index] ?? null]));
    return ids.map((each) => {
      const value = each.map((id) => found.get(id)).find(Boolean);
      return value ? Number(decoder.decode(value).split(' ')[0]) || null : null;
    });
  };
};

/** The newest message of each chat, under either of its names, and its timer. */
const besideReader = (context: Context) => {
  const { sql, sealer } = context;
  const timers = timerReader(context);

  function* newest(deviceId: number, rows: readonly Row[]): Unit<readonly (MessageRecord | null)[]> {
    const hashes = rows.map(({ jid_hash }) => jid_hash);
    const numbers = yield* all(
      sql
        .selectFrom('chats as c')
        .select((e) => [
          'c.jid_hash',
          newestUnder(e, 'c.jid_hash').as('own'),
          newestUnder(e, 'c.lid_hash').as('by_lid'),
        ])
        .where('c.device_id', '=', deviceId)
        .where('c.jid_hash', 'in', hashes),
    );
    const wanted = numbers.flatMap(({ own, by_lid }) => [own, by_lid].filter((n) => n !== null));
    if (wanted.length === 0) return rows.map(() => null);
    const found = yield* all(sql.selectFrom('messages').select(messageColumns).where('n', 'in', wanted));
    const byNumber = new Map(found.map((row) => [row.n, row]));
    const byChat = new Map(numbers.map((row) => [row.jid_hash, row]));
    return rows.map(({ jid_hash }) => {
      const { own = null, by_lid = null } = byChat.get(jid_hash) ?? {};
      const [first, other] = [own, by_lid].map((n) => (n === null ? undefined : byNumber.get(n)));
      const last = first === undefined || (other !== undefined && other.timestamp > first.timestamp) ? other : first;
      return last === undefined ? null : openMessage(sealer, last);
    });
  }

  return function* read(deviceId: number, rows: readonly Row[], names: readonly Name[]): Unit<readonly Beside[]> {
    if (rows.length === 0) return [];
    const messages = yield* newest(deviceId, rows);
    const seconds = yield* timers(deviceId, names);
    return rows.map(({ timer }, index) => ({ lastMessage: messages[index]!, timer: timer ?? seconds[index]! }));
  };
};

const mutedUntil = (value: number | null, now: number): MutedUntil => {
  if (value === null) return null;
  if (value < 0) return 'always';
  return value > now ? value : null;
};

const readerOf = (context: Context) => {
  const { sealer, now } = context;
  const readBeside = besideReader(context);
  const open = (row: Row, column: string, value: SealedJson<string> | null): string | null => {
    const table = column === 'name' ? 'chats' : 'contacts';
    return value === null ? null : sealer.openJson(value, nameContext(table, column, row));
  };
  const nameOf = (row: Row): Name => sealer.openJson(row.data, nameContext('chats', 'data', row));
  /** The own address book comes first, then what the person shows, then what history said. */
  const titleOf = (row: Row): string | null =>
    open(row, 'saved', row.saved) ??
    open(row, 'push_name', row.push_name) ??
    open(row, 'business_name', row.business_name) ??
    open(row, 'name', row.name);

  const chatOf = (row: Row, name: Name, { lastMessage, timer }: Beside): Chat => {
    const isGroup = isGroupName(name);
    const { number, lid } = addressesIn(name);
    const told = !isGroup && lastMessage?.direction === 'in' ? lastMessage.pushName : null;
    return {
      chat: name.jid,
      chatNumber: number,
      chatLid: lid,
      name: titleOf(row) ?? told,
      isGroup,
      unread: row.unread,
      lastMessage,
      archived: row.archived === 1,
      pinned: row.pinned_at !== null,
      mutedUntil: mutedUntil(row.muted_until, now()),
      expiresInSeconds: timer,
    };
  };
  return {
    *chats(deviceId: number, rows: readonly Row[]): Unit<readonly Chat[]> {
      const names = rows.map(nameOf);
      const beside = yield* readBeside(deviceId, rows, names);
      return rows.map((row, index) => chatOf(row, names[index]!, beside[index]!));
    },
    /** Whether a chat is looked for by a part of its name or number. */
    isWanted: (row: Row, q: string): boolean => {
      const name = nameOf(row);
      return matches(q, titleOf(row), addressesIn(name).number);
    },
  };
};

const keyOf = ({ at, jid_hash }: Row): Key => [at, jid_hash];

export const chatStore = (context: Context): ChatStore => {
  const { sealer, database } = context;
  const reader = readerOf(context);
  const resolve = makeResolve(context);

  function* find(deviceId: number, jid: string): Unit<Chat | null> {
    const [name] = yield* resolve(deviceId, [{ jid }]);
    const hashes = [...new Set([name!.jid, jid])].map((each) => nameHash(sealer, deviceId, each));
    const query = ofDevice(context, deviceId);
    const rows = yield* all(
      query.where((e) => e.or([e('c.jid_hash', 'in', hashes), e('c.lid_hash', 'in', hashes)])).limit(4),
    );
    const row = rows.find(({ jid_hash }) => jid_hash === hashes[0]) ?? rows[0];
    return row === undefined ? null : (yield* reader.chats(deviceId, [row]))[0]!;
  }

  return {
    catchUp: catchUp(context),
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: async (deviceId, filter): Promise<Page<Chat>> => {
      const { limit, cursor, q } = filter;
      const from = cursor === null ? null : decodeHashCursor('chats', cursor);
      const rowsAfter = (after: Key | null, count: number) =>
        database.read(() => all(newestFirst(context, deviceId, filter, after, count)));
      const page =
        q === undefined
          ? { rows: await rowsAfter(from, limit + 1), end: null }
          : await searched({ from, limit, rowsAfter, keyOf, isWanted: (row) => reader.isWanted(row, q) });
      const shown = page.rows.slice(0, limit);
      const chats = await database.read(() => reader.chats(deviceId, shown));
      return pageOf('chats', page.rows, limit, { items: chats, key: keyOf, end: page.end });
    },
  };
};
