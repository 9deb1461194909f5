/** Writes the events of settled turns. The device's row is locked, so no other node reports the same turn. */
import type { CommittedEvent, MessageData } from '../../domain/event.ts';
import type { Report } from '../../domain/changes.ts';
import type { Turn } from '../../domain/webhooks/turn.ts';
import type { Context } from '../base/context.ts';
import type { WriteEvents } from '../commit/event-writer.ts';
import { lockDevice } from './delivery-queues.ts';
import { openEvent } from '../sealing/rows.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { writeTurn } from './interests.ts';
import { contextOf } from '../sealing/sealer.ts';

interface Place {
  readonly device_id: number;
  readonly chat_hash: string;
}

const settled = (messages: readonly MessageData[], settleSeconds: number, at: number): Report => {
  const { chat, chatNumber, chatLid } = messages.at(-1)!;
  const data = { chat, chatNumber, chatLid, settleSeconds, messages };
  return { event: { type: 'chat.settled', data }, at };
};

const batch = 50;

/** With their newest texts; without those retention has removed. */
function* messagesOf({ sql, sealer }: Context, deviceId: number, { messages }: Turn): Unit<MessageData[]> {
  const seqs = messages.flatMap(({ seq, editSeq }) => (editSeq === undefined ? [seq] : [seq, editSeq]));
  const query = sql.selectFrom('events').select(['device_id', 'seq', 'at', 'kind', 'data']);
  const rows = yield* all(query.where('device_id', '=', deviceId).where('seq', 'in', seqs));
  const events = new Map(rows.map((row) => [row.seq, openEvent(sealer, row).event.event]));
  const found: MessageData[] = [];
  for (const { seq, editSeq } of messages) {
    const event = events.get(seq);
    const edit = editSeq === undefined ? undefined : events.get(editSeq);
    if (event?.type !== 'message.received') continue;
    const { message } = event.data;
    const isEdited = edit?.type === 'message.updated' && 'text' in edit.data.update;
    found.push(isEdited ? { ...message, text: edit.data.update.text } : message);
  }
  return found;
}

export const turnTeller = (context: Context, writeEvents: WriteEvents) => {
  const { sql, sealer, database, published } = context;

  /** Read again under the lock: another node may have reported it, or the chat has gone on. */
  function* tell(place: Place, now: number): Unit<readonly CommittedEvent[]> {
    const { device_id: deviceId, chat_hash: chatHash } = place;
    yield* lockDevice(context, deviceId);
    const query = sql.selectFrom('chat_turns').select('data').where('device_id', '=', deviceId);
    const row = yield* first(query.where('chat_hash', '=', chatHash).where('due_at', '<=', now));
    if (row === undefined) return [];
    const turn = sealer.openJson(row.data, contextOf('chat_turns.data', place));
    const isDue = ({ dueAt }: Turn['times'][number]): boolean => dueAt !== null && dueAt <= now;
    const messages = yield* messagesOf(context, deviceId, turn);
    const times = turn.times.map((time) => (isDue(time) ? { ...time, dueAt: null, latestAt: null } : time));
    yield* writeTurn(
      context,
      { deviceId, chatHash },
      messages.length === 0 ? { messages: [], times } : { ...turn, times },
    );
    if (messages.length === 0) return [];
    const facts = turn.times.filter(isDue).map(({ seconds }) => settled(messages, seconds, now));
    return yield* writeEvents(deviceId, { facts });
  }

  return async (now: number): Promise<void> => {
    const due = sql
      .selectFrom('chat_turns as t')
      .innerJoin('devices as v', 'v.id', 't.device_id')
      .select(['t.device_id', 't.chat_hash'])
      .where('t.due_at', '<=', now)
      .where('v.deleted', '=', 0)
      .orderBy('t.due_at')
      .limit(batch);
    for (const place of await database.read(() => all(due)))
      await database.write(() => tell(place, now), { committed: published });
  };
};
