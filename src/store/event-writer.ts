/** Writes events, their deliveries and the device's own columns; part of a session's commit. */
import type { ExpressionBuilder } from 'kysely';
import type { SessionChanges } from '../domain/changes.ts';
import type { EventKind, NewEvent, CommittedEvent } from '../domain/event.ts';
import type { MessageChange } from '../domain/message.ts';
import { deviceNotFound } from '../errors.ts';
import { makeAuthorship } from './authorship.ts';
import type { Context } from './context.ts';
import { accountContext, kindsOf } from './device-rows.ts';
import { eventId } from './ids.ts';
import { laneWriter } from './lanes.ts';
import { messageSteps } from './message-steps.ts';
import { type EventContent, sealEvent } from './rows.ts';
import type { Schema } from './schema.ts';
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

/** What its log needs of a device. */
interface LogRow {
  readonly event_seq: number;
  readonly user_id: number;
  readonly webhook_events: string;
  readonly has_url: number;
  readonly disabled_at: number | null;
}

const logColumns = (e: ExpressionBuilder<Schema, 'devices'>) =>
  [
    'event_seq',
    'user_id',
    'webhook_events',
    e.case().when('webhook_url', 'is not', null).then(e.lit(1)).else(e.lit(0)).end().as('has_url'),
    'disabled_at',
  ] as const;

type Bump = { readonly deviceId: number; readonly events: number; readonly sent: number };

const bumped = (sql: Context['sql'], p: Bump) =>
  sql
    .updateTable('devices')
    .set((e) => ({
      event_seq: e('event_seq', '+', p.events),
      messages_sent: e('messages_sent', '+', p.sent),
    }))
    .where('id', '=', p.deviceId)
    .where('deleted', '=', 0);

const queriesOf = ({ sql, database }: Context) => ({
  find: prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select(logColumns).where('id', '=', p.deviceId).where('deleted', '=', 0),
  ),
  /** Takes the numbers of new events. */
  bump: prepare((p: Bump) => bumped(sql, p)),
  /** The same, and the row then: at once, where others write, too. */
  bumpAndFind: prepare((p: Bump) => bumped(sql, p).returning(logColumns)),
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
  known?.forget(deviceId);
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

/** The device's own row; the numbers of the new events end with `event_seq` where the database is shared, and else begin after it. */
function* bump({ database }: Context, queries: ReturnType<typeof queriesOf>, params: Bump): Unit<LogRow> {
  const row = yield* (database.shared ? queries.bumpAndFind : queries.find).first(params);
  if (row === undefined) throw deviceNotFound();
  if (!database.shared) yield* queries.bump.all(params);
  return row;
}

export const eventWriter = (context: Context): WriteEvents => {
  const { seal } = context;
  const queries = queriesOf(context);
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
    if (sent > 0) context.known?.forget(deviceId);
    if (events.length === 0 && sent === 0) {
      if ((yield* queries.find.first({ deviceId })) === undefined) throw deviceNotFound();
      return [];
    }
    const device = yield* bump(context, queries, { deviceId, events: events.length, sent });
    const kinds = device.has_url === 1 && device.disabled_at === null ? kindsOf(device) : [];
    const before = device.event_seq - (context.database.shared ? events.length : 0);
    const now = context.now();
    const told = toldSteps(changes);
    const written: CommittedEvent[] = [];
    let lookAt = Infinity;
    for (const [index, wanted] of events.entries()) {
      if (wanted.claim !== undefined && (yield* isAnothers(deviceId, wanted.claim))) continue;
      // Of a message that was not kept when the step was told first, only the key tells.
      if (!(yield* steps.tell(deviceId, told.get(wanted), taken))) continue;
      const seq = before + 1 + index;
      const event = yield* insertEvent({ deviceId, userId: device.user_id }, seq, wanted, now);
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
