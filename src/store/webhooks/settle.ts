/**
 * Tells settled turns, under the lock of their device's row, which keeps other nodes out: the event and the note that it was told are one
 * transaction.
 */
import type { CommittedEvent, MessageData, NewEvent } from '../../domain/event.ts';
import type { Context } from '../context.ts';
import type { WriteEvents } from '../events/event-writer.ts';
import { lockDevice } from '../outbox/retry.ts';
import { type Unit, all, first } from '../unit.ts';
import { turnContext } from './tables.ts';
import { writeTurn } from './turns.ts';

interface Place {
  readonly device_id: number;
  readonly chat_hash: string;
  readonly settle_seconds: number;
}

const settledEvent = (messages: readonly MessageData[], settleSeconds: number, at: number): NewEvent => {
  const { chat, chatNumber, chatLid } = messages.at(-1)!;
  const data = { chat, chatNumber, chatLid, settleSeconds, messages };
  return { event: { type: 'chat.settled', data }, at, orderKey: chat };
};

/** Turns told in one go. */
const batch = 50;

/** Tells the turns that have settled. */
export const turnTeller = (context: Context, writeEvents: WriteEvents) => {
  const { sql, sealer, database, published } = context;

  /** Under the lock of the device's row: another node may have told it, or the chat may have gone on. */
  function* tell(place: Place, now: number): Unit<readonly CommittedEvent[]> {
    const { device_id: deviceId, chat_hash: chatHash, settle_seconds: seconds } = place;
    yield* lockDevice(context, deviceId);
    const query = sql.selectFrom('turns').select('data').where('device_id', '=', deviceId);
    const row = yield* first(
      query.where('chat_hash', '=', chatHash).where('settle_seconds', '=', seconds).where('due_at', '<=', now),
    );
    if (row === undefined) return [];
    const messages = sealer.openJson(row.data, turnContext(place));
    yield* writeTurn(context, { deviceId, chatHash, seconds }, { messages, dueAt: null, latestAt: null });
    return yield* writeEvents(deviceId, { events: [settledEvent(messages, seconds, now)] }, new Set());
  }

  return async (now: number): Promise<void> => {
    const due = sql
      .selectFrom('turns as t')
      .innerJoin('devices as v', 'v.id', 't.device_id')
      .select(['t.device_id', 't.chat_hash', 't.settle_seconds'])
      .where('t.due_at', '<=', now)
      .where('v.deleted', '=', 0)
      .orderBy('t.due_at')
      .limit(batch);
    for (const place of await database.read(() => all(due))) await database.write(() => tell(place, now), published);
  };
};
