/** Writes labels and their marks, as part of a session's commit. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { LabelMark } from '../../domain/chats/label.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';
import { nameHash } from '../sealing/names.ts';
import { labelContext, type LabelMarksTable, type LabelsTable } from './tables.ts';

type LabelChanges = Pick<SessionChanges, 'labels' | 'labelMarks' | 'labelsReset'>;
type Rows<Table> = Readonly<Record<string, unknown>> & Table;

const queriesOf = ({ sql }: Context) => ({
  put: prepareRows((rows: Rows<LabelsTable>[]) =>
    sql
      .insertInto('labels')
      .values(rows.map((p) => ({ device_id: p.device_id, id: p.id, data: p.data })))
      .onConflict((c) => c.columns(['device_id', 'id']).doUpdateSet((e) => ({ data: e.ref('excluded.data') }))),
  ),
  drop: prepare((p: { deviceId: number; id: string }) =>
    sql.deleteFrom('labels').where('device_id', '=', p.deviceId).where('id', '=', p.id),
  ),
  dropMarks: prepare((p: { deviceId: number; id: string }) =>
    sql.deleteFrom('label_marks').where('device_id', '=', p.deviceId).where('label_id', '=', p.id),
  ),
  mark: prepareRows((rows: Rows<LabelMarksTable>[]) =>
    sql
      .insertInto('label_marks')
      .values(
        rows.map((p) => ({
          device_id: p.device_id,
          chat_hash: p.chat_hash,
          message_id: p.message_id,
          label_id: p.label_id,
          labeled: p.labeled,
          at: p.at,
        })),
      )
      .onConflict((c) =>
        c
          .columns(['device_id', 'chat_hash', 'message_id', 'label_id'])
          .doUpdateSet((e) => ({ labeled: e.ref('excluded.labeled'), at: e.ref('excluded.at') })),
      ),
  ),
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
        yield* queries.drop.all({ deviceId, id });
        yield* queries.dropMarks.all({ deviceId, id });
        continue;
      }
      const { id: _, ...content } = label;
      rows.push({ device_id: deviceId, id, data: sealer.sealJson(content, labelContext({ device_id: deviceId, id })) });
    }
    yield* queries.put.write(rows);
    const marks = new Map<string, ReturnType<typeof rowOf>>();
    for (const mark of labelMarks)
      if (last.get(mark.label) !== null)
        marks.set(JSON.stringify([mark.chat, mark.messageId, mark.label]), rowOf(deviceId, mark));
    yield* queries.mark.write([...marks.values()]);
  };
};
