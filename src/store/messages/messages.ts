/** Reads messages: by id, and newest first. */
import type { Jid } from '../../domain/jid.ts';
import { makeMatcher, type MessageFilter } from '../../domain/messages/search.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { makeGiven } from './resolve.ts';
import type { Context } from '../base/context.ts';
import { annotationReader } from './annotations.ts';
import { inTurns } from '../../domain/turns.ts';
import { chatLookup, messageBytes, messageColumns, messagesReader } from './message-steps.ts';
import { type MessageRow, openMessage } from '../sealing/rows.ts';
import { inPieces, listed, decodeCursor, encodeCursor } from '../base/listed.ts';
import { searched } from '../sealing/sealed-search.ts';
import { type Unit, all, sessionUnreachableMs } from '../base/unit.ts';
import { finding } from '../base/statements.ts';

type Key = readonly [timestamp: number, n: number];

/** As `newest`, with a label: few messages have it, so its marks are read first. `names`: hashes of a chat, or null. */
const labelled = (
  { sql }: Context,
  deviceId: number,
  { since, until, label = '' }: MessageFilter,
  names: readonly string[] | null,
  before: Key | null,
  count: number,
) => {
  let query = sql
    .selectFrom('label_marks as lm')
    // SQLite reads the tables of a cross join in this order.
    .crossJoin('messages as m')
    .select(['m.n', 'm.timestamp'])
    .select(messageBytes)
    // Both addresses of a chat may have a mark.
    .distinct()
    .where((e) => e.and({ 'lm.device_id': deviceId, 'lm.label_id': label }))
    .where('lm.message_id', '<>', '')
    .where('lm.labeled', '=', 1)
    .whereRef('m.device_id', '=', 'lm.device_id')
    .whereRef('m.id', '=', 'lm.message_id')
    .where((m) => m.or([m('lm.chat_hash', '=', m.ref('m.chat_hash')), m('lm.chat_hash', '=', m.ref('m.lid_hash'))]))
    .where('m.state', '!=', 'action')
    .orderBy('m.timestamp', 'desc')
    .orderBy('m.n', 'desc')
    .limit(count);
  if (since !== undefined) query = query.where('m.timestamp', '>=', since);
  if (until !== undefined) query = query.where('m.timestamp', '<=', until);
  if (names !== null) query = query.where((m) => m.or([m('m.chat_hash', 'in', names), m('m.lid_hash', 'in', names)]));
  if (before === null) return query;
  return query.where((e) => e(e.refTuple('m.timestamp', 'm.n'), '<', e.tuple(...before)));
};

const newest = (
  { sql }: Context,
  deviceId: number,
  { since, until }: MessageFilter,
  before: Key | null,
  count: number,
) => {
  let query = sql
    .selectFrom('messages')
    .select(['n', 'timestamp'])
    .select(messageBytes)
    .where('device_id', '=', deviceId)
    .where('state', '!=', 'action')
    .orderBy('timestamp', 'desc')
    .orderBy('n', 'desc')
    .limit(count);
  if (since !== undefined) query = query.where('timestamp', '>=', since);
  if (until !== undefined) query = query.where('timestamp', '<=', until);
  if (before === null) return query;
  return query.where((e) => e(e.refTuple('timestamp', 'n'), '<', e.tuple(...before)));
};

interface Head {
  readonly n: number;
  readonly timestamp: number;
  readonly bytes: number;
}

/** A chat has a number and a LID, and older messages may be stored under the LID alone: both indexes are read and merged. */
function* newestOfChat(names: readonly string[], query: ReturnType<typeof newest>, count: number): Unit<Head[]> {
  const found = new Map<number, Head>();
  for (const column of ['chat_hash', 'lid_hash'] as const)
    for (const name of names) for (const row of yield* all(query.where(column, '=', name))) found.set(row.n, row);
  return [...found.values()].sort((a, b) => b.timestamp - a.timestamp || b.n - a.n).slice(0, count);
}

const keyOf = ({ timestamp, n }: Pick<Head, 'timestamp' | 'n'>): Key => [timestamp, n];

/** Rows a search may open without a match over all its pages, so that a client following `nextCursor` ends. */
const maxInVain = 100_000;

function* oldestOfChat({ sql }: Context, deviceId: number, names: readonly string[]): Unit<MessageRow[]> {
  const query = sql
    .selectFrom('messages')
    .select(messageColumns)
    .where('device_id', '=', deviceId)
    .where('state', 'not in', ['action', 'pending', 'failed'])
    .limit(1);
  const found: MessageRow[] = [];
  for (const name of names)
    for (const column of ['chat_hash', 'lid_hash'] as const) {
      const of = query.where(column, '=', name);
      for (const first of yield* all(of.orderBy('timestamp').orderBy('n')))
        found.push(first, ...(yield* all(of.where('timestamp', '=', first.timestamp).orderBy('n', 'desc'))));
    }
  return found;
}

const namesReader = (context: Context) => {
  const given = makeGiven(context);
  return function* namesOf(deviceId: number, chat: Jid): Unit<readonly string[]> {
    return (yield* given(deviceId, chat)).map((jid) => chatLookup(context.sealer, deviceId, jid));
  };
};

const cursorOf = (key: readonly number[]): string => encodeCursor('messages', key);

const messageLister = (context: Context): MessageStore['list'] => {
  const { sealer, database } = context;
  const given = makeGiven(context);
  const namesOf = namesReader(context);
  const readMessages = messagesReader(context);
  const rowsOf = async (of: readonly Head[]): Promise<readonly MessageRow[]> => {
    const rows = await database.read(() => readMessages(of.map((head) => head.n)));
    return of.map((head) => rows.get(head.n)).filter((row) => row !== undefined);
  };
  const open = (rows: readonly MessageRow[]) => inTurns(rows, (row) => openMessage(sealer, row));
  return async (deviceId, { limit, cursor, bytes, chat, signal, ...filter }) => {
    const [timestamp = 0, n = 0, before = 0] = cursor === null ? [] : decodeCursor('messages', 2, cursor, 3);
    const from: Key | null = cursor === null ? null : [timestamp, n];
    const { from: sender } = filter;
    const senders = sender === undefined ? null : new Set(await database.read(() => given(deviceId, sender)));
    const matches = makeMatcher(filter, senders);
    const names = chat === undefined ? null : await database.read(() => namesOf(deviceId, chat));
    const heads = (after: Key | null, count: number): Promise<readonly Head[]> => {
      if (filter.label !== undefined)
        return database.read(() => all(labelled(context, deviceId, filter, names, after, count)));
      const query = newest(context, deviceId, filter, after, count);
      return database.read(() => (names === null ? all(query) : newestOfChat(names, query, count)));
    };
    if (matches === null) {
      const page = { from, limit, bytes, heads, open: async (of: readonly Head[]) => open(await rowsOf(of)), keyOf };
      return { ...(await listed({ ...page, cursorOf })), searchedSince: null };
    }
    const rowsAfter = inPieces(heads, rowsOf);
    const page = await searched({
      from,
      limit,
      rowsAfter,
      keyOf,
      bytesOf: ({ data, content }) => data.length + (content?.length ?? 0),
      isWanted: (row) => matches(openMessage(sealer, row)),
      signal,
    });
    const inVain = page.rows.length === 0 ? before + page.inVain : page.inVain;
    const isFull = page.rows.length > limit;
    const last = isFull ? keyOf(page.rows[limit - 1]!) : page.end;
    const end = isFull || last === null ? last : inVain >= maxInVain ? null : [...last, inVain];
    return {
      items: await open(page.rows.slice(0, limit)),
      nextCursor: end === null ? null : cursorOf(end),
      searchedSince: last === null ? null : last[0],
    };
  };
};

const finder = (context: Context): MessageStore['find'] => {
  const { sealer, database } = context;
  const byId = finding(context, 'messages', messageColumns, ['device_id', 'id']);
  const namesOf = namesReader(context);
  return async (deviceId, messageId, chat, patient = false) => {
    const rows = await database.read(
      () => byId.all({ device_id: deviceId, id: messageId }),
      patient ? sessionUnreachableMs : 0,
    );
    const under = (names: readonly string[]) =>
      rows.filter(({ chat_hash: own, lid_hash: lid }) => names.includes(own) || (lid !== null && names.includes(lid)));
    let those = chat === undefined ? rows : under([chatLookup(sealer, deviceId, chat)]);
    if (chat !== undefined && those.length === 0 && rows.length > 0)
      those = under(await database.read(() => namesOf(deviceId, chat), patient ? sessionUnreachableMs : 0));
    const [first, ...others] = those;
    if (first === undefined) return null;
    // A later message with the same id must not shadow the stored one.
    return openMessage(
      sealer,
      others.reduce((oldest, each) => (each.n < oldest.n ? each : oldest), first),
    );
  };
};

export const messageStore = (context: Context): MessageStore => {
  const { sealer, database } = context;
  const namesOf = namesReader(context);
  return {
    annotations: annotationReader(context),
    find: finder(context),
    oldest: async (deviceId, chat) => {
      const rows = await database.read(function* () {
        return yield* oldestOfChat(context, deviceId, yield* namesOf(deviceId, chat));
      });
      const [first] = rows.sort((a, b) => a.timestamp - b.timestamp || a.n - b.n);
      if (first === undefined) return null;
      // History arrives newest first, with times in seconds.
      const last = openMessage(
        sealer,
        rows.findLast(({ timestamp }) => timestamp === first.timestamp)!,
      );
      return last.historic ? last : openMessage(sealer, first);
    },
    list: messageLister(context),
  };
};
