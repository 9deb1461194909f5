/** Read marks of the account's other devices: only what came after the messages that were read stays unread. */
import type { Context } from '../base/context.ts';
import type { NameColumns } from '../sealing/names.ts';
import { type Unit, all, prepare } from '../base/unit.ts';

/** Ids in one statement; a receipt names the newest last, and no more count than it has. */
const mostIds = 512;

export const readMarks = ({ sql }: Context) => {
  const set = prepare((p: { device_id: number; jid_hash: string; unread: number }) =>
    sql
      .updateTable('chats')
      .set({ unread: p.unread })
      .where('device_id', '=', p.device_id)
      .where('jid_hash', '=', p.jid_hash)
      .where('unread', '>', p.unread),
  );
  return function* mark({ device_id, jid_hash, lid_hash }: NameColumns, ids: readonly string[]): Unit<void> {
    const hashes = lid_hash === null ? [jid_hash] : [jid_hash, lid_hash];
    const messages = sql.selectFrom('messages').where('device_id', '=', device_id).where('chat_hash', 'in', hashes);
    const found = yield* all(messages.select(['timestamp', 'n']).where('id', 'in', ids.slice(0, mostIds)));
    const [read] = found.sort((a, b) => b.timestamp - a.timestamp || b.n - a.n);
    if (read === undefined) return;
    const later = yield* all(
      messages
        .select('n')
        .where((e) => e(e.refTuple('timestamp', 'n'), '>', e.tuple(read.timestamp, read.n)))
        // A received one has no acceptance.
        .where('accepted_at', 'is', null)
        .where('delivered_at', 'is not', null)
        .limit(1_000),
    );
    yield* set.all({ device_id, jid_hash, unread: later.length });
  };
};
