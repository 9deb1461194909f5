/** Writes events, their deliveries and the device's own columns; part of a session's commit. */
import type { SessionChanges } from '../domain/changes.ts';
import type { EventKind, NewEvent, CommittedEvent } from '../domain/event.ts';
import type { MessageChange } from '../domain/message.ts';
import { makeAuthorship } from './authorship.ts';
import type { Context } from './context.ts';
import { deviceLogs } from './device-log.ts';
import { accountContext } from './device-rows.ts';
import { eventId } from './ids.ts';
import { laneWriter } from './lanes.ts';
import { messageSteps } from './message-steps.ts';
import { type EventContent, sealEvent } from './rows.ts';
import type { SealedJson } from './seal.ts';
import { toldSteps } from './told-steps.ts';
import { type Unit, all, prepare } from './unit.ts';

/** Throws DeviceNotFound for a device that is gone, whatever the change. */
export type WriteEvents = (
  deviceId: number,
  changes: Pick<
    SessionChanges,
    'events' | 'messageChanges' | 'sent' | 'account' | 'announcedOpen' | 'pairingAt' | 'lastSeenAt'
  >,
  /** Gets the steps of messages that were written with their events. */
  taken: Set<MessageChange>,
) => Unit<readonly CommittedEvent[]>;

const queriesOf = ({ sql, database }: Context) => ({
  insert: prepare(
    (p: {
      deviceId: number;
      seq: number;
      at: number;
      kind: EventKind;
      dedupeHash: string | null;
      data: SealedJson<EventContent>;
      now: number;
    }) =>
      sql
        .insertInto('events')
        .values({
          device_id: p.deviceId,
          seq: p.seq,
          at: p.at,
          kind: p.kind,
          dedupe_hash: p.dedupeHash,
          data: p.data,
          stored_at: p.now,
        })
        .onConflict((c) => c.doNothing())
        .$if(database.shared, (query) => query.returning('seq')),
  ),
});

/** What a unit of work says of the device itself. */
function* writeDevice(
  { sql, seal, known }: Context,
  deviceId: number,
  changes: Parameters<WriteEvents>[1],
): Unit<void> {
  const { account, announcedOpen, pairingAt, lastSeenAt } = changes;
  if ([account, announcedOpen, pairingAt, lastSeenAt].every((value) => value === undefined)) return;
  known?.forgetRecord(deviceId);
  const sealed = account ? seal.sealJson(account, accountContext(deviceId)) : null;
  yield* all(
    sql
      .updateTable('devices')
      .set({
        ...(account === undefined ? {} : { account: sealed }),
        ...(announcedOpen === undefined ? {} : { announced_open: announcedOpen ? 1 : 0 }),
        ...(pairingAt === undefined ? {} : { pairing_at: pairingAt }),
        ...(lastSeenAt === undefined ? {} : { last_seen_at: lastSeenAt }),
      })
      .where('id', '=', deviceId),
  );
}

export const eventWriter = (context: Context): WriteEvents => {
  const { seal } = context;
  const queries = queriesOf(context);
  const logs = deviceLogs(context);
  const lanes = laneWriter(context);
  const steps = messageSteps(context);
  const isAnothers = makeAuthorship(context);

  /** One event in the log; null when its dedupe key is there already (its number stays unused). */
  function* insertEvent(
    { deviceId, userId }: { readonly deviceId: number; readonly userId: number },
    seq: number,
    wanted: NewEvent,
    now: number,
  ): Unit<CommittedEvent | null> {
    const { event, at, orderKey, dedupeKey } = wanted;
    const isNew = yield* queries.insert.changed({
      deviceId,
      seq,
      at,
      kind: event.type,
      dedupeHash: dedupeKey === undefined ? null : seal.lookup('dedupe', deviceId, dedupeKey),
      data: sealEvent(seal, deviceId, seq, { data: event.data, orderKey }),
      now,
    });
    return !isNew ? null : { id: eventId(deviceId, seq), deviceId, userId, at, event };
  }

  return function* writeEvents(deviceId, changes, taken) {
    const { events = [], sent = 0 } = changes;
    yield* writeDevice(context, deviceId, changes);
    if (sent > 0) context.known?.forgetRecord(deviceId);
    if (events.length === 0 && sent === 0) {
      yield* logs.assert(deviceId);
      return [];
    }
    const { userId, kinds, before } = yield* logs.bump({ deviceId, events: events.length, sent });
    const now = context.now();
    const told = toldSteps(changes);
    const written: CommittedEvent[] = [];
    let lookAt = Infinity;
    for (const [index, wanted] of events.entries()) {
      if (wanted.claim !== undefined && (yield* isAnothers(deviceId, wanted.claim))) continue;
      // Of a message that was not kept when the step was told first, only the key tells.
      if (!(yield* steps.tell(deviceId, told.get(wanted), taken))) continue;
      const seq = before + 1 + index;
      const event = yield* insertEvent({ deviceId, userId }, seq, wanted, now);
      if (event === null) continue;
      written.push(event);
      if (!kinds.includes(wanted.event.type)) continue;
      const { orderHash, leasedUntil, ...lane } = yield* lanes.enqueue(deviceId, seq, wanted.orderKey, now);
      context.fresh?.note(event, { seq, orderHash, orderKey: wanted.orderKey, begins: leasedUntil });
      lookAt = Math.min(lookAt, lane.lookAt ?? Infinity);
    }
    if (lookAt !== Infinity) yield* lanes.wake(deviceId, lookAt);
    return written;
  };
};
