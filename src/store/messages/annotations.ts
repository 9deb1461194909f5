/** Annotations of messages: one sealed row per message, kind and person. */
import type { Annotation, AnnotationKind, Kept } from '../../domain/messages/annotation.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { inTurns } from '../../domain/turns.ts';
import type { Context } from '../base/context.ts';
import type { AnnotationContent } from '../sealing/rows.ts';
import type { AnnotationsTable } from '../base/schema.ts';
import { chatLookup } from './message-steps.ts';
import { type Unit, all, pick, prepare } from '../base/unit.ts';
import { contextOf } from '../sealing/sealer.ts';
import { adding, finding } from '../base/statements.ts';

const keyColumns = ['device_id', 'message_id', 'chat_hash', 'kind', 'person_hash'] as const;

const columns = [...keyColumns, 'at', 'data', 'stored_at'] as const;
type NewRow = Readonly<Record<string, unknown>> & Pick<AnnotationsTable, (typeof columns)[number]>;

const queriesOf = (context: Context) => ({
  first: adding(context, 'annotations', columns),
  /** Reactions: the last one replaces earlier ones. */
  last: prepare((row: NewRow) =>
    context.sql
      .insertInto('annotations')
      .values(pick(row, columns))
      .onConflict((c) =>
        c
          .columns(keyColumns)
          .doUpdateSet((e) => ({ at: e.ref('excluded.at'), data: e.ref('excluded.data') }))
          .whereRef('annotations.at', '<=', 'excluded.at'),
      ),
  ),
  message: finding(context, 'messages', ['chat_hash', 'lid_hash'], ['device_id', 'id']),
});

type WriteAnnotations = (deviceId: number, annotations: readonly Annotation[]) => Unit<void>;

const isReceipt = ({ deed: { kind } }: Annotation): boolean =>
  kind === 'delivered' || kind === 'read' || kind === 'played';

export const annotationWriter = (context: Context): WriteAnnotations => {
  const { sealer, now } = context;
  const queries = queriesOf(context);

  const rowOf = (deviceId: number, { messageId, from, at, deed }: Annotation, chatHash: string): NewRow => {
    const key = {
      device_id: deviceId,
      message_id: messageId,
      chat_hash: chatHash,
      kind: deed.kind,
      person_hash: sealer.lookup('person', deviceId, from.lid ?? from.jid),
    };
    const data = sealer.sealJson<AnnotationContent>({ from, deed }, contextOf('annotations.data', key));
    return { ...key, at, data, stored_at: now() };
  };

  function* storedChat(deviceId: number, { messageId, chat, chatLid }: Annotation): Unit<string> {
    const names = [chat, chatLid].flatMap((name) => (name === null ? [] : [chatLookup(sealer, deviceId, name)]));
    const rows = yield* queries.message.all({ device_id: deviceId, id: messageId });
    const row = rows.find(({ chat_hash, lid_hash }) => names.includes(chat_hash) || names.includes(lid_hash ?? ''));
    return row?.chat_hash ?? names[0]!;
  }

  return function* write(deviceId, annotations) {
    const receipts = annotations.filter(isReceipt);
    yield* queries.first.write(
      receipts.map((receipt) => rowOf(deviceId, receipt, chatLookup(sealer, deviceId, receipt.chat))),
    );
    for (const annotation of annotations) {
      if (isReceipt(annotation)) continue;
      yield* queries.last.all(rowOf(deviceId, annotation, yield* storedChat(deviceId, annotation)));
    }
  };
};

/** Small, since a message in a large group may have a thousand reactions. */
const batch = 20;

type Records = readonly Pick<MessageRecord, 'id' | 'chat' | 'chatLid'>[];
type ReadAnnotations = (
  deviceId: number,
  records: Records,
  kinds: readonly AnnotationKind[],
) => Promise<readonly (readonly Kept[])[]>;

export const annotationReader = ({ sql, sealer, database }: Context): ReadAnnotations => {
  const rowsOf = async (deviceId: number, records: Records, kinds: readonly AnnotationKind[]) => {
    const query = sql
      .selectFrom('annotations')
      .selectAll()
      .where('device_id', '=', deviceId)
      .where('message_id', 'in', [...new Set(records.map(({ id }) => id))])
      .where('kind', 'in', kinds);
    return Map.groupBy(await database.read(() => all(query)), (row) => row.message_id);
  };
  return async (deviceId, records, kinds) => {
    const kept: (readonly Kept[])[] = [];
    for (let start = 0; start < records.length; start += batch) {
      const those = records.slice(start, start + batch);
      const rows = await rowsOf(deviceId, those, kinds);
      for (const { id, chat, chatLid } of those) {
        const names = [chat, chatLid].map((name) => (name === null ? null : chatLookup(sealer, deviceId, name)));
        const ofMessage = (rows.get(id) ?? []).filter((row) => names.includes(row.chat_hash));
        const open = (row: (typeof ofMessage)[number]): Kept => ({
          ...sealer.openJson(row.data, contextOf('annotations.data', row)),
          at: row.at,
        });
        kept.push(await inTurns(ofMessage, open));
      }
    }
    return kept;
  };
};
