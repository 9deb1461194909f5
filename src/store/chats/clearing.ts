/** Removes the messages of chats that were cleared or deleted on the account; part of a session's commit. */
import type { ChatClearing } from '../../domain/chats/chat.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all } from '../base/unit.ts';
import { makeResolve } from '../messages/resolve.ts';
import { type AnnotationContent, nameHash } from '../sealing/rows.ts';
import { contextOf } from '../sealing/sealer.ts';

const batch = 500;
/** More stars than this in one chat are not kept. */
const maxStarred = 10_000;

type WriteClearings = (deviceId: number, cleared: readonly ChatClearing[]) => Unit<void>;

const starReader = ({ sql, sealer }: Context) =>
  function* starred(deviceId: number, hashes: readonly string[]): Unit<readonly string[]> {
    const query = sql.selectFrom('annotations').selectAll().where('device_id', '=', deviceId);
    const rows = yield* all(query.where('kind', '=', 'star').where('chat_hash', 'in', hashes).limit(maxStarred));
    return rows.flatMap((row) => {
      const { deed } = sealer.openJson<AnnotationContent>(row.data, contextOf('annotations.data', row));
      return deed.kind === 'star' && deed.starred ? [row.message_id] : [];
    });
  };

/** Messages without an ack stay, as they are sent by their id. */
const messageRemover = (context: Context) => {
  const { sql } = context;
  const starredIn = starReader(context);
  return function* remove(
    deviceId: number,
    hashes: readonly string[],
    { until, keepsStarred }: ChatClearing,
  ): Unit<void> {
    const kept = keepsStarred ? yield* starredIn(deviceId, hashes) : [];
    let query = sql
      .deleteFrom('messages')
      .where('device_id', '=', deviceId)
      .where('chat_hash', 'in', hashes)
      .where('timestamp', '<=', until)
      .where('state', '!=', 'pending');
    if (kept.length > 0) query = query.where('id', 'not in', kept);
    const gone = yield* all(query.returning(['n', 'id']));
    for (let start = 0; start < gone.length; start += batch) {
      const those = gone.slice(start, start + batch);
      const ns = those.map(({ n }) => n);
      yield* all(sql.updateTable('kept_media').set({ state: 'gone' }).where('message_n', 'in', ns));
      const ids = those.map(({ id }) => id);
      const notes = sql.deleteFrom('annotations').where('device_id', '=', deviceId).where('message_id', 'in', ids);
      yield* all(notes.where('chat_hash', 'in', hashes));
    }
  };
};

export const clearingWriter = (context: Context): WriteClearings => {
  const { sql, sealer } = context;
  const resolve = makeResolve(context);
  const removeMessages = messageRemover(context);
  return function* write(deviceId, cleared) {
    const names = yield* resolve(
      deviceId,
      cleared.map(({ chat, chatLid }) => ({ jid: chat, lid: chatLid })),
    );
    for (const [index, clearing] of cleared.entries()) {
      const { jid, lid } = names[index]!;
      const hashes = [jid, lid].filter((name) => name !== null).map((name) => nameHash(sealer, deviceId, name));
      yield* removeMessages(deviceId, hashes, clearing);
      const left = sql.selectFrom('messages').select('n').where('device_id', '=', deviceId);
      const [later] = yield* all(left.where('chat_hash', 'in', hashes).limit(1));
      if (clearing.isDeleted && later === undefined) {
        const row = sql.deleteFrom('chats').where('device_id', '=', deviceId).where('jid_hash', '=', hashes[0]!);
        yield* all(row.where('at', '<=', clearing.until));
      } else {
        const row = sql.updateTable('chats').set({ unread: 0 }).where('device_id', '=', deviceId);
        yield* all(row.where('jid_hash', '=', hashes[0]!).where('at', '<=', clearing.until));
      }
    }
  };
};
