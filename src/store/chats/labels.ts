/** Reads labels, and the chats and messages that have them. */
import { type SqlBool, sql as text } from 'kysely';
import { type KeptLabel, labelsIn, type LabelStore, type Labelled, type Mark } from '../../domain/chats/label.ts';
import type { Context } from '../base/context.ts';
import { decodeHashCursor, pageOf } from '../base/cursor.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { type Name, nameHash } from '../sealing/names.ts';
import { labelContext, type LabelsTable } from './tables.ts';

const batch = 200;

/** Sorts decimal ids by number. */
const length = text`cast(length(id) as bigint)`;

const opener =
  ({ sealer }: Context) =>
  (row: LabelsTable): KeptLabel => ({ ...sealer.openJson(row.data, labelContext(row)), id: row.id });

export const allLabels = (context: Context) => {
  const open = opener(context);
  return function* read(deviceId: number): Unit<readonly KeptLabel[]> {
    const query = context.sql.selectFrom('labels').selectAll().where('device_id', '=', deviceId);
    return (yield* all(query.orderBy(length).orderBy('id'))).map(open);
  };
};

export const markReader = ({ sql, sealer }: Context) => {
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
