/** The kept messages: by id, and newest first. */
import type { MessageStore } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { annotationReader } from './annotations.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { chatLookup } from './message-steps.ts';
import { openMessage } from '../sealing/rows.ts';
import { sessionUnreachableMs } from '../postgres/unreachable-timeouts.ts';
import { type Unit, all, prepare } from '../unit.ts';

export const messageColumns = [
  'n',
  'device_id',
  'chat_hash',
  'lid_hash',
  'id',
  'timestamp',
  'state',
  'accepted_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'deleted_at',
  'data',
  'content',
] as const;

const newest = ({ sql }: Context, deviceId: number, before: readonly number[] | null, count: number) => {
  const query = sql
    .selectFrom('messages')
    .select(messageColumns)
    .where('device_id', '=', deviceId)
    .where('state', '!=', 'action')
    .orderBy('timestamp', 'desc')
    .orderBy('n', 'desc')
    .limit(count);
  if (before === null) return query;
  const [timestamp = 0, n = 0] = before;
  return query.where((e) => e(e.refTuple('timestamp', 'n'), '<', e.tuple(timestamp, n)));
};

/** A chat is found by its JID and by its LID: one index each, merged. */
function* newestOfChat(chat: string, query: ReturnType<typeof newest>, count: number) {
  const byJid = yield* all(query.where('chat_hash', '=', chat));
  const byLid = yield* all(query.where('lid_hash', '=', chat));
  if (byLid.length === 0) return byJid;
  return [...byJid, ...byLid].sort((a, b) => b.timestamp - a.timestamp || b.n - a.n).slice(0, count);
}

export const messageStore = (context: Context): MessageStore => {
  const { sql, sealer, database } = context;
  const byId = prepare((p: { deviceId: number; id: string }) =>
    sql.selectFrom('messages').select(messageColumns).where('device_id', '=', p.deviceId).where('id', '=', p.id),
  );
  return {
    annotations: annotationReader(context),
    find: async (deviceId, messageId, chat, patient = false) => {
      const rows = await database.read(() => byId.all({ deviceId, id: messageId }), patient ? sessionUnreachableMs : 0);
      const hash = chat === undefined ? null : chatLookup(sealer, deviceId, chat);
      const those = hash === null ? rows : rows.filter((each) => each.chat_hash === hash || each.lid_hash === hash);
      const [first, ...others] = those;
      if (first === undefined) return null;
      // A later message under the same id must not shadow the stored one.
      return openMessage(
        sealer,
        others.reduce((oldest, each) => (each.n < oldest.n ? each : oldest), first),
      );
    },
    list: async (deviceId, { limit, cursor, chat }) => {
      const before = cursor === null ? null : decodeCursor('messages', 2, cursor);
      const query = newest(context, deviceId, before, limit + 1);
      const rows = await database.read((): Unit<RowsOf<typeof query>> =>
        chat === undefined ? all(query) : newestOfChat(chatLookup(sealer, deviceId, chat), query, limit + 1),
      );
      return pageOf('messages', rows, limit, {
        item: (row) => openMessage(sealer, row),
        key: (row) => [row.timestamp, row.n],
      });
    },
  };
};

type RowsOf<Q> = Q extends { execute(): Promise<infer R> } ? R : never;
