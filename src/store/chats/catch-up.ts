/**
 * Makes the chats of messages that were stored without them: those from before the table, and those that the version before stores beside this
 * one or after it. A bounded piece in each transaction, oldest first; what is read anew changes nothing.
 */
import type { SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../base/context.ts';
import { conversationWriter } from './conversations.ts';
import { messageColumns } from '../messages/by-number.ts';
import { openMessage } from '../sealing/rows.ts';
import { type Unit, all, first, prepare } from '../base/unit.ts';

/** Messages read at a time, and pieces of one transaction: as many as 5 ms allow where the database runs in this process. */
const [pieceSize, maxPieces, turnMs] = [20, 25, 5];
/** A message that is younger may have one before it that is not committed yet. */
const settledMs = 60_000;

/** A message by the columns that are not sealed. */
interface Position {
  readonly n: number;
  readonly chat_hash: string;
  readonly timestamp: number;
}

/** Nothing of it is news: it neither counts as unread nor as read on the phone. */
const asHistory = (record: MessageRecord): MessageRecord => ({ ...record, historic: true });

const namesIn = (records: readonly MessageRecord[]): NonNullable<SessionChanges['contacts']> =>
  records.flatMap(({ direction, from, fromLid, pushName }) =>
    direction === 'in' && pushName !== null ? [{ jid: from, lid: fromLid, pushName }] : [],
  );

/** Makes the chats of the next messages. Returns the number of the last of these; null at the end. */
const chatMaker = (context: Context): ((after: number) => Unit<number | null>) => {
  const { sql, sealer, now } = context;
  const write = conversationWriter(context);

  const piece = prepare((p: { after: number; before: number }) =>
    sql
      .selectFrom('messages')
      .select(['n', 'device_id', 'chat_hash', 'timestamp'])
      .where('n', '>', p.after)
      .where('stored_at', '<', p.before)
      .orderBy('n')
      .limit(pieceSize),
  );

  /** The newest message of each chat whose row does not have it. */
  function* missing(deviceId: number, rows: readonly Position[]): Unit<readonly MessageRecord[]> {
    const newest = new Map<string, Position>();
    for (const row of rows)
      if ((newest.get(row.chat_hash)?.timestamp ?? -1) < row.timestamp) newest.set(row.chat_hash, row);
    const hashes = [...newest.keys()];
    const chats = yield* all(
      sql
        .selectFrom('chats')
        .select(['jid_hash', 'lid_hash', 'at'])
        .where((e) => {
          // Each side has the device: else SQLite reads all chats of the device.
          const under = (name: 'jid_hash' | 'lid_hash') =>
            e.and([e('device_id', '=', deviceId), e(name, 'in', hashes)]);
          return e.or([under('jid_hash'), under('lid_hash')]);
        }),
    );
    for (const { jid_hash, lid_hash, at } of chats)
      for (const hash of [jid_hash, lid_hash ?? ''])
        if ((newest.get(hash)?.timestamp ?? Infinity) <= at) newest.delete(hash);
    const numbers = [...newest.values()].map(({ n }) => n);
    if (numbers.length === 0) return [];
    const found = yield* all(sql.selectFrom('messages').select(messageColumns).where('n', 'in', numbers));
    return found.map((row) => asHistory(openMessage(sealer, row)));
  }

  return function* makeChats(after: number): Unit<number | null> {
    const rows = yield* piece.all({ after, before: now() - settledMs });
    for (const [deviceId, ofDevice] of Map.groupBy(rows, (row) => row.device_id)) {
      const records = yield* missing(deviceId, ofDevice);
      yield* write(deviceId, { contacts: namesIn(records) }, records);
    }
    return rows.at(-1)?.n ?? null;
  };
};

export const catchUp = (context: Context): (() => Promise<boolean>) => {
  const { sql, database } = context;
  const makeChats = chatMaker(context);

  function* step(): Unit<boolean> {
    const began = performance.now();
    const progress = yield* first(sql.selectFrom('progress').select('n').where('name', '=', 'chats'));
    let n = progress?.n ?? 0;
    let more = true;
    for (let pieces = 0; pieces < maxPieces && more; pieces += 1) {
      if (!database.shared && performance.now() - began > turnMs) break;
      const last = yield* makeChats(n);
      more = last !== null;
      n = last ?? n;
    }
    if (n === (progress?.n ?? 0)) return false;
    const insert = sql.insertInto('progress').values({ name: 'chats', n });
    yield* all(insert.onConflict((c) => c.column('name').doUpdateSet({ n })));
    return more;
  }

  return () => database.write(step);
};
