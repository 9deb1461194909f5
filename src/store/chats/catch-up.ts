/**
 * Makes the chats of messages that were stored without them: those from before the table, and those that the version before stores beside this
 * one or after it. A bounded piece in each transaction, oldest first; what is read anew changes nothing.
 */
import type { SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { chatWriter } from './chat-writer.ts';
import { contactWriter } from './contact-writer.ts';
import { makeResolve } from './resolve.ts';
import { messageColumns } from '../messages/messages.ts';
import { openMessage } from '../sealing/rows.ts';
import { type Unit, all, first } from '../unit.ts';

const pieceSize = 500;
/** A message that is younger may have one before it that is not committed yet. */
const settledMs = 60_000;

/** Nothing of it is news: it neither counts as unread nor as read on the phone. */
const asHistory = (record: MessageRecord): MessageRecord => ({ ...record, historic: true });

const namesIn = (records: readonly MessageRecord[]): SessionChanges['contacts'] =>
  records.flatMap(({ direction, from, fromLid, pushName }) =>
    direction === 'in' && pushName !== null ? [{ jid: from, lid: fromLid, pushName }] : [],
  );

export const catchUp = (context: Context): (() => Promise<boolean>) => {
  const { sql, sealer, database, now } = context;
  const resolve = makeResolve(context);
  const writeChats = chatWriter(context, resolve);
  const writeContacts = contactWriter(context, resolve);

  const piece = (after: number) =>
    sql
      .selectFrom('messages')
      .select(['n', 'device_id', 'chat_hash', 'timestamp'])
      .where('n', '>', after)
      .where('stored_at', '<', now() - settledMs)
      .orderBy('n')
      .limit(pieceSize);

  /** The newest message of each chat in a piece that the chat does not know of. */
  function* missing(after: number): Unit<readonly MessageRecordOf[]> {
    const rows = yield* all(
      sql
        .selectFrom(piece(after).as('m'))
        .leftJoin('chats as c', (join) =>
          join
            .onRef('c.device_id', '=', 'm.device_id')
            .on((e) => e.or([e('c.jid_hash', '=', e.ref('m.chat_hash')), e('c.lid_hash', '=', e.ref('m.chat_hash'))])),
        )
        .select((e) => ['m.device_id', 'm.chat_hash', e.fn.max('m.n').as('n')])
        .where((e) => e.or([e('c.at', 'is', null), e('c.at', '<', e.ref('m.timestamp'))]))
        .groupBy(['m.device_id', 'm.chat_hash']),
    );
    if (rows.length === 0) return [];
    const numbers = rows.map(({ n }) => n);
    const found = yield* all(sql.selectFrom('messages').select(messageColumns).where('n', 'in', numbers));
    return found.map((row) => ({ deviceId: row.device_id, record: asHistory(openMessage(sealer, row)) }));
  }

  function* step(): Unit<boolean> {
    const progress = yield* first(sql.selectFrom('progress').select('n').where('name', '=', 'chats'));
    const after = progress?.n ?? 0;
    const last = yield* first(
      sql
        .selectFrom(piece(after).as('m'))
        .select((e) => [e.fn.max('m.n').as('n'), e.fn.countAll<number>().as('count')]),
    );
    if (last === undefined || last.n === null) return false;
    const byDevice = Map.groupBy(yield* missing(after), ({ deviceId }) => deviceId);
    for (const [deviceId, found] of byDevice) {
      const records = found.map(({ record }) => record);
      yield* writeChats(deviceId, {}, records);
      yield* writeContacts(deviceId, { contacts: namesIn(records) ?? [] });
    }
    const insert = sql.insertInto('progress').values({ name: 'chats', n: last.n });
    yield* all(insert.onConflict((c) => c.column('name').doUpdateSet({ n: last.n })));
    return last.count === pieceSize;
  }

  return () => database.write(step);
};

interface MessageRecordOf {
  readonly deviceId: number;
  readonly record: MessageRecord;
}
