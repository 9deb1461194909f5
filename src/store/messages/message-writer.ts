/** Writes new messages, and the changes of receipts, edits and revokes; part of a session's commit. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { Insertable, Selectable } from 'kysely';
import { jidKind } from '../../domain/jid.ts';
import type { MessageChange, MessageRecord, MessageState } from '../../domain/message.ts';
import { keptWriter } from './kept-media.ts';
import type { Context } from '../base/context.ts';
import { chatLookup, isStep, messageSteps, ranks, stepColumns } from './message-steps.ts';
import {
  type MessageContent,
  openMessageData,
  sealContent,
  sealMessage,
  sealNewMessage,
  withoutContent,
} from '../sealing/rows.ts';
import type { MessagesTable } from '../base/schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, all, pick, prepare } from '../base/unit.ts';
import { adding, finding } from '../base/statements.ts';

/** `steps`: steps of facts that are still to be taken. Returns the messages that are new. */
export type WriteMessages = (
  deviceId: number,
  changes: Pick<SessionChanges, 'messages' | 'messageChanges' | 'withdrawn'>,
  steps: readonly MessageChange[],
) => Unit<readonly MessageRecord[]>;

const stepTimes = ['accepted_at', 'delivered_at', 'read_at', 'failed_at', 'deleted_at'] as const;
const rowKey = ['device_id', 'chat_hash', 'id'] as const;
const newColumns = [...rowKey, 'lid_hash', 'timestamp', 'state', ...stepTimes, 'data', 'content', 'stored_at'] as const;

type FoundRow = Omit<Selectable<MessagesTable>, 'timestamp' | 'content' | 'stored_at'>;
type StepColumns = Pick<FoundRow, 'state' | (typeof stepTimes)[number]>;
type NewRow = Required<Pick<Insertable<MessagesTable>, (typeof newColumns)[number]>>;

const queriesOf = (context: Context) => ({
  insert: adding(context, 'messages', newColumns),
  step: prepare((p: StepColumns & { readonly n: number }) =>
    context.sql
      .updateTable('messages')
      .set(pick(p, ['state', ...stepTimes]))
      .where('n', '=', p.n),
  ),
  byId: finding(context, 'messages', [...rowKey, 'lid_hash', 'data', 'n', 'state', ...stepTimes], ['device_id', 'id']),
  remove: prepare((p: { deviceId: number; id: string; chatHash: string }) =>
    context.sql
      .deleteFrom('messages')
      .where((e) => e.and({ device_id: p.deviceId, id: p.id, chat_hash: p.chatHash }))
      .returning('n'),
  ),
});

const newRow = ({ sealer, now }: Context, deviceId: number, record: MessageRecord): NewRow => {
  const { id, timestamp, state, acceptedAt, deliveredAt, readAt, failedAt, deletedAt } = record;
  const key = { device_id: deviceId, chat_hash: sealer.lookup('chat', deviceId, record.chat), id };
  const lid = record.chatLid !== null && record.chatLid !== record.chat ? record.chatLid : null;
  return {
    ...key,
    lid_hash: lid === null ? null : sealer.lookup('chat', deviceId, lid),
    timestamp,
    state,
    accepted_at: acceptedAt,
    delivered_at: deliveredAt,
    read_at: readAt,
    failed_at: failedAt,
    deleted_at: deletedAt,
    ...sealNewMessage(sealer, key, record),
    stored_at: now(),
  };
};

/** Later steps are reported in whole seconds, so they may appear earlier than the ack. */
const timeOf = ({ state, at }: { readonly state: MessageState; readonly at: number }, row: FoundRow): number => {
  if (state !== 'delivered' && state !== 'read') return at;
  return Math.max(at, row.accepted_at ?? 0, (state === 'read' ? row.delivered_at : null) ?? 0);
};

const changedColumns = (sealer: Sealer, row: FoundRow, change: MessageChange) => {
  const { step, deletedAt } = change;
  const column = step === undefined ? null : stepColumns[step.state];
  const forward = step !== undefined && ranks[step.state] >= ranks[row.state];
  return {
    ...(forward && step.state !== row.state ? { state: step.state } : {}),
    // A step reported late still gets its time.
    ...(column !== null && row[column] === null ? { [column]: timeOf(step!, row) } : {}),
    ...(deletedAt !== undefined && row.deleted_at === null ? { deleted_at: deletedAt } : {}),
    ...contentColumns(sealer, row, change),
    ...rewrittenColumns(sealer, row, change),
  };
};

const contentColumns = (sealer: Sealer, row: FoundRow, { arrived, reread }: MessageChange) => {
  if (arrived === undefined && reread === undefined) return {};
  const { unavailable, type } = openMessageData(sealer, row);
  if (arrived !== undefined && unavailable !== undefined) return sealNewMessage(sealer, row, arrived);
  const isUnread = type === 'unknown' && row.deleted_at === null;
  return reread !== undefined && isUnread ? sealNewMessage(sealer, row, reread) : {};
};

const edited = (known: MessageContent, { text, parts, editedAt }: MessageChange): MessageContent => {
  if ((editedAt ?? Infinity) < (known.editedAt ?? 0)) return known;
  return {
    ...known,
    ...(text === undefined ? {} : { text }),
    ...(parts === undefined ? {} : { parts: { ...known.parts, ...parts } }),
    ...(editedAt === undefined ? {} : { editedAt }),
  };
};

const rewrittenColumns = (sealer: Sealer, row: FoundRow, change: MessageChange) => {
  const { text, parts, content, media, isErased } = change;
  const isEdit = text !== undefined || parts !== undefined;
  if (!isEdit && content === undefined && isErased === undefined) return {};
  const known = openMessageData(sealer, row);
  if (isErased) return withoutContent(sealer, row, known);
  const data = { ...edited(known, change), ...(media !== undefined && { media }) };
  const hasContent = row.deleted_at === null && known.unavailable === undefined;
  if (content !== undefined && hasContent) return sealContent(sealer, row, data, content);
  return isEdit ? { data: sealMessage(sealer, row, data) } : {};
};

type Author = Pick<MessageContent, 'from' | 'fromNumber' | 'fromLid'>;

/** Addresses of the same kind only; otherwise nothing is proven. */
const isAnother = ({ from, fromNumber, fromLid }: Author, { number, lid }: Claim['author']): boolean => {
  if (fromNumber !== null && number !== null) return fromNumber !== number;
  const known = fromLid ?? (jidKind(from) === 'lid' ? from : null);
  return known !== null && lid !== null && known !== lid;
};

type Claim = Required<Pick<MessageChange, 'messageId' | 'chat' | 'author'>>;
/** Whether the message is known to be somebody else's; some changes require its author. */
type IsAnothers = (deviceId: number, claim: Claim) => Unit<boolean>;

export const makeAuthorship = (context: Context): IsAnothers => {
  const { sealer } = context;
  const byId = finding(context, 'messages', [...rowKey, 'lid_hash', 'data'], ['device_id', 'id']);
  return function* isAnothers(deviceId, { messageId, chat, author }) {
    const hash = sealer.lookup('chat', deviceId, chat);
    const rows = yield* byId.all({ device_id: deviceId, id: messageId });
    const row = rows.find((each) => each.chat_hash === hash) ?? rows.find((each) => each.lid_hash === hash);
    return row !== undefined && isAnother(openMessageData(sealer, row), author);
  };
};

export const messageWriter = (context: Context): WriteMessages => {
  const { sql, sealer } = context;
  const queries = queriesOf(context);
  const { take } = messageSteps(context);
  const isAnothers = makeAuthorship(context);
  const kept = keptWriter(context);

  function* change(deviceId: number, wanted: MessageChange): Unit<void> {
    const { author } = wanted;
    if (author !== undefined && (yield* isAnothers(deviceId, { ...wanted, author }))) return;
    const chat = chatLookup(sealer, deviceId, wanted.chat);
    if (isStep(wanted) && (yield* take(deviceId, wanted))) return;
    const rows = yield* queries.byId.all({ device_id: deviceId, id: wanted.messageId });
    const row = rows.find((each) => each.chat_hash === chat) ?? rows.find((each) => each.lid_hash === chat);
    if (row === undefined) return;
    const columns = changedColumns(sealer, row, wanted);
    if (Object.keys(columns).length === 0) return;
    if ('data' in columns) yield* all(sql.updateTable('messages').set(columns).where('n', '=', row.n));
    else yield* queries.step.all({ ...pick(row, ['state', ...stepTimes]), ...columns, n: row.n });
    if (wanted.deletedAt !== undefined) yield* kept.drop(row.n);
    if (wanted.media !== undefined) yield* kept.renew(row.n);
    const content = wanted.arrived ?? wanted.reread;
    if (content?.media) yield* kept.keep(deviceId, [content]);
  }

  /** Those of `messages` that are stored as in `rows`. */
  function* storedOf(
    deviceId: number,
    messages: readonly MessageRecord[],
    rows: readonly NewRow[],
  ): Unit<readonly MessageRecord[]> {
    const ids = rows.map(({ id }) => id);
    const query = sql.selectFrom('messages').select(['id', 'chat_hash', 'data']).where('device_id', '=', deviceId);
    const stored = yield* all(query.where('id', 'in', ids));
    const isStored = ({ id, chat_hash, data }: NewRow): boolean =>
      stored.some((row) => row.id === id && row.chat_hash === chat_hash && Buffer.compare(row.data, data) === 0);
    return messages.filter((_, index) => isStored(rows[index]!));
  }

  function* remove(deviceId: number, { id, chat }: MessageRecord): Unit<void> {
    const row = yield* queries.remove.first({ deviceId, id, chatHash: chatLookup(sealer, deviceId, chat) });
    if (row !== undefined) yield* kept.drop(row.n);
  }

  return function* writeMessages(deviceId, { messages = [], messageChanges = [], withdrawn = [] }, steps) {
    const rows: NewRow[] = [];
    for (const record of messages) rows.push(newRow(context, deviceId, record));
    const areNew = (yield* queries.insert.write(rows)) === rows.length;
    const written = areNew ? messages : yield* storedOf(deviceId, messages, rows);
    for (const wanted of [...steps, ...messageChanges]) yield* change(deviceId, wanted);
    for (const record of withdrawn) yield* remove(deviceId, record);
    let hasMedia = false;
    for (const { media } of written) if (media !== null) hasMedia = true;
    if (hasMedia) yield* kept.keep(deviceId, written);
    return written;
  };
};
