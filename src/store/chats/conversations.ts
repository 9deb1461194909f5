/** Writes changes to chats and contacts as part of a session's commit, and clears them after a logout. */
import type { Context } from '../base/context.ts';
import { type NameColumns, makeNameColumns, nameHash, type NameColumnsOf } from '../sealing/rows.ts';
import { type Unit, all, prepare } from '../base/unit.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { contactWriter } from './contacts.ts';
import { pairLearner } from './pairs.ts';
import { makeResolve, pairKeys, pairsIn, type Resolve } from '../messages/resolve.ts';
import type { AppStateChange, AppStateKind } from '../../domain/app-state.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import { jidKind } from '../../domain/jid.ts';
import { dropAll, dropColumn, makeChat, putActivity, putColumn } from './name-rows.ts';
import { contextOf } from '../sealing/sealer.ts';

const maxIds = 512;

const readMarks = ({ sql }: Context) => {
  const set = prepare((p: { device_id: number; jid_hash: string; unread: number }) =>
    sql
      .updateTable('chats')
      .set({ unread: p.unread })
      .where((e) => e.and({ device_id: p.device_id, jid_hash: p.jid_hash }))
      .where('unread', '>', p.unread),
  );
  return function* mark({ device_id, jid_hash, lid_hash }: NameColumns, ids: readonly string[]): Unit<void> {
    const hashes = lid_hash === null ? [jid_hash] : [jid_hash, lid_hash];
    const messages = sql.selectFrom('messages').where('device_id', '=', device_id).where('chat_hash', 'in', hashes);
    const found = yield* all(messages.select(['timestamp', 'n']).where('id', 'in', ids.slice(0, maxIds)));
    const [read] = found.sort((a, b) => b.timestamp - a.timestamp || b.n - a.n);
    if (read === undefined) return;
    const later = yield* all(
      messages
        .select('n')
        .where((e) => e(e.refTuple('timestamp', 'n'), '>', e.tuple(read.timestamp, read.n)))
        .where('accepted_at', 'is', null)
        .where('delivered_at', 'is not', null)
        .limit(1_000),
    );
    yield* set.all({ device_id, jid_hash, unread: later.length });
  };
};

const always = -1;

const each = <Q>(make: (column: string, empty: 0 | null) => Q) => ({
  archive: make('archived', 0),
  pin: make('pinned_at', null),
  mute: make('muted_until', null),
});

const queriesOf = (context: Context) => {
  const { sql } = context;
  return {
    activity: putActivity(context),
    make: makeChat(context),
    name: putColumn(context, 'chats', 'name'),
    columns: each((column) => putColumn(context, 'chats', column)),
    drop: each((column, empty) => dropColumn(context, 'chats', column, empty)),
    dropAll: each((column, empty) => dropAll(context, 'chats', column, empty)),
    unread: prepare((p: { device_id: number; jid_hash: string; unread: number; at: number }) =>
      sql
        .updateTable('chats')
        .set({ unread: p.unread })
        .where((e) => e.and({ device_id: p.device_id, jid_hash: p.jid_hash }))
        .where('at', '<=', p.at)
        .$if(context.database.shared, (query) => query.returning('at')),
    ),
    mark: prepare((p: { device_id: number; jid_hash: string; at: number }) =>
      sql
        .updateTable('chats')
        .set({ unread: 1 })
        .where((e) => e.and({ device_id: p.device_id, jid_hash: p.jid_hash, unread: 0 }))
        .where('at', '<=', p.at),
    ),
  };
};

type Queries = ReturnType<typeof queriesOf>;
type OfChats = Exclude<AppStateKind, 'contact'>;
type ChatState = Extract<AppStateChange, { readonly kind: OfChats }>;

const isOfChat = (change: AppStateChange): change is ChatState => change.kind !== 'contact';

const columnOf = (change: ChatState): number => {
  if (change.kind === 'archive') return 1;
  if (change.kind === 'pin') return change.value?.at ?? 0;
  return change.value?.until ?? always;
};

interface Activity {
  readonly columns: NameColumns;
  at: number;
  unread: number;
}

const messagesWriter = (queries: Queries, resolve: Resolve, columnsOf: NameColumnsOf) => {
  return function* write(deviceId: number, messages: readonly MessageRecord[]): Unit<void> {
    const active = new Map<string, Activity>();
    for (const message of messages) {
      const { direction, state, chat: jid, chatLid: lid, historic = false } = message;
      if (state === 'action') continue;
      // Usually the number is known and the record has both addresses.
      const [name] = jidKind(jid) === 'lid' ? yield* resolve(deviceId, [{ jid }]) : [{ jid, lid }];
      const columns = columnsOf(deviceId, name!.jid, name!.lid);
      let activity = active.get(columns.jid_hash);
      if (activity === undefined) active.set(columns.jid_hash, (activity = { columns, at: 0, unread: 0 }));
      activity.at = Math.max(activity.at, message.timestamp);
      if (direction === 'in' && !historic) activity.unread += 1;
      // Sent from the phone: the chat counts as read.
      if (direction === 'in' || state === 'pending' || historic) continue;
      activity.unread = 0;
      yield* queries.unread.changed({ ...columns, unread: 0, at: Number.MAX_SAFE_INTEGER });
    }
    const rows = [];
    for (const { columns, at, unread } of active.values()) rows.push({ ...columns, at, unread });
    // Locks rows in one order, so that two writers do not deadlock.
    if (rows.length > 1) rows.sort((a, b) => (a.jid_hash < b.jid_hash ? -1 : 1));
    yield* queries.activity.write(rows);
  };
};

const stateWriter = (queries: Queries, resolve: Resolve, columnsOf: NameColumnsOf) =>
  function* write(deviceId: number, { appState = [], appStateReset = [] }: SessionChanges): Unit<void> {
    for (const kind of appStateReset) if (kind !== 'contact') yield* queries.dropAll[kind].all({ deviceId });
    const changes = appState.filter(isOfChat);
    const names = yield* resolve(deviceId, changes);
    const rows = { archive: new Map(), pin: new Map(), mute: new Map() } as const;
    for (const [index, change] of changes.entries()) {
      const { jid, lid } = names[index]!;
      const columns = columnsOf(deviceId, jid, lid);
      rows[change.kind].delete(columns.jid_hash);
      if (change.value === null) yield* queries.drop[change.kind].all(columns);
      else rows[change.kind].set(columns.jid_hash, { ...columns, value: columnOf(change) });
    }
    for (const kind of ['archive', 'pin', 'mute'] as const)
      yield* queries.columns[kind].write([...rows[kind].values()]);
  };

const changeWriter = (context: Context, queries: Queries, resolve: Resolve, columnsOf: NameColumnsOf) => {
  const { sealer } = context;
  const markRead = readMarks(context);
  function* count(columns: NameColumns, { unread, at, until = at ?? Number.MAX_SAFE_INTEGER }: ChatChange): Unit<void> {
    if (unread === undefined) return;
    if (unread === 'marked') yield* queries.mark.all({ ...columns, at: until });
    else if (!(yield* queries.unread.changed({ ...columns, unread, at: until })))
      yield* queries.make.all({ ...columns, unread, at: at ?? 0 });
  }
  return function* write(deviceId: number, changes: readonly ChatChange[]): Unit<void> {
    const names = yield* resolve(
      deviceId,
      changes.map(({ chat, chatLid = null }) => ({ jid: chat, lid: chatLid })),
    );
    for (const [index, change] of changes.entries()) {
      const name = names[index]!;
      const columns = columnsOf(deviceId, name.jid, name.lid);
      yield* count(columns, change);
      yield* queries.activity.write([{ ...columns, at: change.at ?? 0, unread: 0 }]);
      if (change.read !== undefined) yield* markRead(columns, change.read);
      if (change.name !== undefined) {
        const sealed = change.name === null ? null : sealer.sealJson(change.name, contextOf('chats.name', columns));
        yield* queries.name.write([{ ...columns, value: sealed }]);
      }
    }
  };
};

type WriteConversations = (deviceId: number, changes: SessionChanges, messages: readonly MessageRecord[]) => Unit<void>;

/** `messages` are the new ones. Keys are written first: they hold the pairs of phone number and LID. */
export const conversationWriter = (context: Context): WriteConversations => {
  const resolve = makeResolve(context);
  const learn = pairLearner(context);
  const queries = queriesOf(context);
  const columnsOf = makeNameColumns(context.sealer, 'chats');
  const writeMessages = messagesWriter(queries, resolve, columnsOf);
  const writeState = stateWriter(queries, resolve, columnsOf);
  const writeChanges = changeWriter(context, queries, resolve, columnsOf);
  const writeContacts = contactWriter(context, resolve);
  return function* write(deviceId, changes, messages) {
    const { keys = [] } = changes;
    if (keys.some(({ type }) => type === pairKeys)) yield* learn(deviceId, pairsIn(keys));
    const { chats = [], contacts, blockedReset, appState, appStateReset, withdrawn } = changes;
    if (messages.length > 0) yield* writeMessages(deviceId, messages);
    if ((appState ?? appStateReset) !== undefined) yield* writeState(deviceId, changes);
    if (chats.length > 0) yield* writeChanges(deviceId, chats);
    if (withdrawn !== undefined) yield* withdrawChats(context, resolve, deviceId, withdrawn);
    if ((contacts ?? blockedReset ?? appState ?? appStateReset) !== undefined) yield* writeContacts(deviceId, changes);
  };
};

const withoutMessages = (sql: Context['sql']) =>
  sql.deleteFrom('chats').where((e) => {
    const messages = e
      .selectFrom('messages as m')
      .select('m.n')
      .whereRef('m.device_id', '=', 'chats.device_id')
      .where((m) =>
        m.or([m('m.chat_hash', '=', m.ref('chats.jid_hash')), m('m.chat_hash', '=', m.ref('chats.lid_hash'))]),
      );
    return e.not(e.exists(messages));
  });

/** Deletes chats with persons that only withdrawn messages created. */
function* withdrawChats(
  { sql, sealer }: Context,
  resolve: Resolve,
  deviceId: number,
  withdrawn: readonly MessageRecord[],
): Unit<void> {
  for (const { chat, chatLid, isGroup, timestamp } of withdrawn) {
    if (isGroup) continue;
    const [name] = yield* resolve(deviceId, [{ jid: chat, lid: chatLid }]);
    yield* all(
      withoutMessages(sql)
        .where((e) => e.and({ device_id: deviceId, jid_hash: nameHash(sealer, deviceId, name!.jid) }))
        .where('at', '<=', timestamp)
        .where((e) => e.and({ unread: 0, archived: 0 }))
        .where((e) => e.and([e('pinned_at', 'is', null), e('muted_until', 'is', null), e('name', 'is', null)])),
    );
  }
}

export function* forgetConversations({ sql }: Context, deviceId: number): Unit<void> {
  yield* all(sql.deleteFrom('contacts').where('device_id', '=', deviceId));
  yield* all(withoutMessages(sql).where('device_id', '=', deviceId));
  yield* all(
    sql
      .updateTable('chats')
      .set({ archived: 0, pinned_at: null, muted_until: null, name: null })
      .where('device_id', '=', deviceId),
  );
}
