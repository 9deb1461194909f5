/** Labels: reads them, writes them in a session's commit, and reports their changes (`label.updated`, `message.updated`). */
import { isDeepStrictEqual } from 'node:util';
import { type SqlBool, sql as text } from 'kysely';
import type { SessionChanges, Report } from '../../domain/changes.ts';
import {
  type Label,
  labelsIn,
  shownLabel,
  type KeptLabel,
  type LabelStore,
  type Labelled,
  type Mark,
  type LabelMark,
} from '../../domain/chats/label.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import { decodeHashCursor, pageOf } from '../base/listed.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { Resolve } from '../messages/resolve.ts';
import { addressesIn, type Name, nameHash } from '../sealing/rows.ts';
import type { LabelsTable } from './tables.ts';
import { contextOf } from '../sealing/sealer.ts';
import { putting, dropping } from '../base/statements.ts';

interface MarkedMessage {
  readonly chat: Jid;
  readonly messageId: string;
}

const markedIn = ({ labelMarks = [] }: SessionChanges): readonly MarkedMessage[] => {
  const marked = new Map<string, MarkedMessage>();
  for (const { chat, messageId } of labelMarks)
    if (messageId !== null) marked.set(`${chat} ${messageId}`, { chat, messageId });
  return [...marked.values()];
};

const labelReports = (
  before: ReadonlyMap<string, Label>,
  after: ReadonlyMap<string, Label>,
  at: number,
): readonly Report[] => {
  const told = (label: Label, deleted: boolean): Report => ({
    event: { type: 'label.updated', data: { label, deleted } },
    at,
  });
  return [
    ...[...after.values()]
      .filter((label) => !isDeepStrictEqual(label, before.get(label.id)))
      .map((each) => told(each, false)),
    ...[...before.values()].filter(({ id }) => !after.has(id)).map((each) => told(each, true)),
  ];
};

const batch = 200;

/** Sorts decimal ids by number. */
const length = text`cast(length(id) as bigint)`;

const opener =
  ({ sealer }: Context) =>
  (row: LabelsTable): KeptLabel => ({ ...sealer.openJson(row.data, contextOf('labels.data', row)), id: row.id });

/** `ids` null: all. */
const labelReader = (context: Context) => {
  const open = opener(context);
  return function* read(deviceId: number, ids: readonly string[] | null): Unit<readonly KeptLabel[]> {
    const query = context.sql.selectFrom('labels').selectAll().where('device_id', '=', deviceId);
    const wanted = query.$if(ids !== null, (some) => some.where('id', 'in', ids!));
    return (yield* all(wanted.orderBy(length).orderBy('id'))).map(open);
  };
};

const markReader = ({ sql, sealer }: Context) => {
  const rowsOf = (deviceId: number, hashes: readonly string[], ids: readonly string[]) =>
    all(
      sql
        .selectFrom('label_marks as m')
        .innerJoin('labels as l', (join) =>
          join.onRef('l.device_id', '=', 'm.device_id').onRef('l.id', '=', 'm.label_id'),
        )
        .select(['m.chat_hash', 'm.message_id', 'm.label_id as label', 'm.labeled', 'm.at'])
        .where('m.device_id', '=', deviceId)
        .where('m.chat_hash', 'in', hashes)
        .where('m.message_id', 'in', ids),
    );
  return function* read(deviceId: number, of: readonly Labelled[]): Unit<readonly (readonly Mark[])[]> {
    const marks: (readonly Mark[])[] = [];
    for (let start = 0; start < of.length; start += batch) {
      const those = of.slice(start, start + batch).map(({ chat, chatLid, id = '' }) => ({
        id,
        hashes: [chat, chatLid].flatMap((jid) => (jid === null ? [] : [nameHash(sealer, deviceId, jid)])),
      }));
      const hashes = [...new Set(those.flatMap((each) => each.hashes))];
      const rows = yield* rowsOf(deviceId, hashes, [...new Set(those.map(({ id }) => id))]);
      const byChat = Map.groupBy(rows, ({ chat_hash, message_id }) => `${chat_hash} ${message_id}`);
      for (const each of those) {
        const found = each.hashes.flatMap((hash) => byChat.get(`${hash} ${each.id}`) ?? []);
        marks.push(found.map(({ label, labeled, at }) => ({ label, labeled: labeled === 1, at })));
      }
    }
    return marks;
  };
};

export const chatLabelReader = (context: Context) => {
  const readMarks = markReader(context);
  return function* read(deviceId: number, names: readonly Name[]): Unit<readonly (readonly string[])[]> {
    const chats = names.map(({ jid, lid }) => ({ chat: jid, chatLid: lid }));
    return (yield* readMarks(deviceId, chats)).map(labelsIn);
  };
};

export const labelStore = (context: Context): LabelStore => {
  const { sql, database } = context;
  const open = opener(context);
  const readMarks = markReader(context);
  const ofDevice = (deviceId: number) => sql.selectFrom('labels').selectAll().where('device_id', '=', deviceId);
  return {
    find: async (deviceId, id) => {
      const row = await database.read(() => first(ofDevice(deviceId).where('id', '=', id)));
      return row === undefined ? null : open(row);
    },
    list: async (deviceId, { limit, cursor }) => {
      const [after, id] = cursor === null ? [0, ''] : decodeHashCursor('labels', cursor);
      const query = ofDevice(deviceId)
        .where(text<SqlBool>`(${length}, id) > (${after}, ${id})`)
        .orderBy(length)
        .orderBy('id')
        .limit(limit + 1);
      const rows = await database.read(() => all(query));
      return pageOf('labels', rows, limit, { key: (row) => [row.id.length, row.id], item: open });
    },
    marks: (deviceId, of) => database.read(() => readMarks(deviceId, of)),
  };
};

/** Call it before a commit; run the returned unit after all writes. */
export const labelFollower = (context: Context, resolve: Resolve) => {
  const readLabels = labelReader(context);
  const readMarks = markReader(context);

  function* labelsOf(deviceId: number, changes: SessionChanges): Unit<ReadonlyMap<string, Label>> {
    const ids = changes.labelsReset === true ? null : (changes.labels ?? []).map(({ id }) => id);
    if (ids?.length === 0) return new Map();
    return new Map((yield* readLabels(deviceId, ids)).map((label) => [label.id, shownLabel(label)]));
  }

  function* ofMessages(
    deviceId: number,
    marked: readonly MarkedMessage[],
  ): Unit<ReadonlyMap<string, readonly [Name, readonly string[]]>> {
    const names = yield* resolve(
      deviceId,
      marked.map(({ chat }) => ({ jid: chat })),
    );
    const of = marked.map(({ messageId }, index) => ({
      chat: names[index]!.jid,
      chatLid: names[index]!.lid,
      id: messageId,
    }));
    const marks = yield* readMarks(deviceId, of);
    return new Map(
      of.map(({ chat, id }, index) => [`${chat} ${id}`, [names[index]!, labelsIn(marks[index]!)] as const] as const),
    );
  }

  return function* follow(deviceId: number, changes: SessionChanges): Unit<() => Unit<readonly Report[]>> {
    const isOfLabels = (changes.labels ?? changes.labelsReset) !== undefined;
    const marked = markedIn(changes);
    const before = isOfLabels ? yield* labelsOf(deviceId, changes) : new Map<string, Label>();
    const beforeOf = yield* ofMessages(deviceId, marked);
    return function* updates() {
      const at = context.now();
      const reports = isOfLabels ? [...labelReports(before, yield* labelsOf(deviceId, changes), at)] : [];
      for (const [key, [name, labels]] of yield* ofMessages(deviceId, marked)) {
        if (isDeepStrictEqual(labels, beforeOf.get(key)?.[1] ?? [])) continue;
        const { number, lid } = addressesIn(name);
        const messageId = key.slice(key.indexOf(' ') + 1);
        const data = { messageId, chat: name.jid, chatNumber: number, chatLid: lid, update: { labels } };
        reports.push({ event: { type: 'message.updated', data }, at });
      }
      return reports;
    };
  };
};

type LabelChanges = Pick<SessionChanges, 'labels' | 'labelMarks' | 'labelsReset'>;

const queriesOf = (context: Context) => ({
  put: putting(context, 'labels', ['device_id', 'id'], ['data']),
  drop: dropping(context, 'labels', ['device_id', 'id']),
  dropMarks: dropping(context, 'label_marks', ['device_id', 'label_id']),
  mark: putting(context, 'label_marks', ['device_id', 'chat_hash', 'message_id', 'label_id'], ['labeled', 'at']),
});

export const labelWriter = (context: Context) => {
  const { sql, sealer } = context;
  const queries = queriesOf(context);
  const rowOf = (deviceId: number, { chat, messageId, label, labeled, at }: LabelMark) => ({
    device_id: deviceId,
    chat_hash: nameHash(sealer, deviceId, chat),
    message_id: messageId ?? '',
    label_id: label,
    labeled: labeled ? 1 : 0,
    at,
  });
  return function* write(deviceId: number, { labels = [], labelMarks = [], labelsReset }: LabelChanges): Unit<void> {
    if (labelsReset === true)
      for (const table of ['labels', 'label_marks'] as const)
        yield* all(sql.deleteFrom(table).where('device_id', '=', deviceId));
    // One statement must not write a row twice.
    const last = new Map(labels.map(({ id, label }) => [id, label]));
    const rows = [];
    for (const [id, label] of last) {
      if (label === null) {
        yield* queries.drop.all({ device_id: deviceId, id });
        yield* queries.dropMarks.all({ device_id: deviceId, label_id: id });
        continue;
      }
      const { id: _, ...content } = label;
      const row = { device_id: deviceId, id };
      rows.push({ ...row, data: sealer.sealJson(content, contextOf('labels.data', row)) });
    }
    yield* queries.put.write(rows);
    const marks = new Map<string, ReturnType<typeof rowOf>>();
    for (const mark of labelMarks)
      if (last.get(mark.label) !== null)
        marks.set(JSON.stringify([mark.chat, mark.messageId, mark.label]), rowOf(deviceId, mark));
    yield* queries.mark.write([...marks.values()]);
  };
};
