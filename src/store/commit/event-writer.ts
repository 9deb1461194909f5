/** Writes events, their deliveries and the device's own columns; part of a session's commit. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { AnyKind, NewEvent, CommittedEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import { deviceNotFound } from '../../errors.ts';
import { makeAuthorship } from '../messages/authorship.ts';
import type { Context } from '../base/context.ts';
import { accountContext } from '../webhooks/device-rows.ts';
import { eventId, lowestSeqAt } from '../base/ids.ts';
import { type NewDelivery, queueWriter } from '../webhooks/delivery-queues.ts';
import { type Step, isStep, messageSteps } from '../messages/message-steps.ts';
import { type EventContent, sealEvent } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';
import { deliveriesOf, interestReader } from '../webhooks/interests.ts';
import { turnFollower } from '../webhooks/turns.ts';

/** Throws DeviceNotFound for a device that is gone, whatever the change. */
export type WriteEvents = (
  deviceId: number,
  changes: Pick<
    SessionChanges,
    'events' | 'messageChanges' | 'sent' | 'account' | 'announcedOpen' | 'pairingAt' | 'lastSeenAt' | 'limits'
  >,
  /** Receives the message steps that were written with their events. */
  taken: Set<MessageChange>,
) => Unit<readonly CommittedEvent[]>;

interface EventRow extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly seq: number;
  readonly at: number;
  readonly kind: AnyKind;
  readonly dedupeHash: string | null;
  readonly data: SealedJson<EventContent>;
  readonly now: number;
}

const queriesOf = ({ sql, database }: Context) => ({
  insert: prepareRows((rows: EventRow[]) =>
    sql
      .insertInto('events')
      .values(
        rows.map((p) => ({
          device_id: p.deviceId,
          seq: p.seq,
          at: p.at,
          kind: p.kind,
          dedupe_hash: p.dedupeHash,
          data: p.data,
          stored_at: p.now,
        })),
      )
      .onConflict((c) => c.doNothing())
      .$if(database.shared, (query) => query.returning('seq')),
  ),
  since: prepare((p: { deviceId: number; first: number }) =>
    sql.selectFrom('events').select('seq').where('device_id', '=', p.deviceId).where('seq', '>=', p.first),
  ),
});

interface Numbered {
  readonly seq: number;
  readonly wanted: NewEvent;
}

function* writeDevice({ sql, sealer }: Context, deviceId: number, changes: Parameters<WriteEvents>[1]): Unit<void> {
  const { account, announcedOpen, pairingAt, lastSeenAt, limits } = changes;
  const sealed = account ? sealer.sealJson(account, accountContext(deviceId)) : null;
  yield* all(
    sql
      .updateTable('devices')
      .set({
        ...(account === undefined ? {} : { account: sealed }),
        ...(announcedOpen === undefined ? {} : { announced_open: announcedOpen ? 1 : 0 }),
        ...(pairingAt === undefined ? {} : { pairing_at: pairingAt }),
        ...(lastSeenAt === undefined ? {} : { last_seen_at: lastSeenAt }),
        ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
      })
      .where('id', '=', deviceId),
  );
}

/** Inserts events. Those whose dedupe key exists already are left out, and their numbers stay unused. */
const logWriter = (context: Context) => {
  const { sealer } = context;
  const queries = queriesOf(context);
  return function* insert(deviceId: number, numbered: readonly Numbered[], now: number): Unit<readonly Numbered[]> {
    if (numbered.length === 0) return numbered;
    const rows: EventRow[] = [];
    for (const { seq, wanted } of numbered) {
      const { event, at, orderKey, dedupeKey } = wanted;
      const dedupeHash = dedupeKey === undefined ? null : sealer.lookup('dedupe', deviceId, dedupeKey);
      const data = sealEvent(sealer, deviceId, seq, { data: event.data, orderKey });
      rows.push({ deviceId, seq, at, kind: event.type, dedupeHash, data, now });
    }
    if ((yield* queries.insert.write(rows)) === rows.length) return numbered;
    const found = yield* queries.since.all({ deviceId, first: rows[0]!.seq });
    const written = new Set(found.map(({ seq }) => seq));
    return numbered.filter(({ seq }) => written.has(seq));
  };
};

interface Report {
  readonly state: 'accepted' | 'delivered';
  readonly chat: string;
  /** The chat's other name, under which the message may be stored. */
  readonly chatLid: string | null;
  readonly messageId: string;
}

/** The step that an event reports; null for other events. `read` does not count, because `played` is the same step and another event. */
const reportOf = ({ event }: NewEvent): Report | null => {
  if (event.type === 'message.sent' && event.data.source === 'api') {
    const { chat, chatLid, id } = event.data.message;
    return { state: 'accepted', chat, chatLid, messageId: id };
  }
  if (event.type !== 'message.updated') return null;
  const { update, chat, chatLid, messageId } = event.data;
  return 'status' in update && update.status === 'delivered' ? { state: 'delivered', chat, chatLid, messageId } : null;
};

const isOf = ({ state, chat, chatLid, messageId }: Report, change: MessageChange | undefined): change is Step =>
  change !== undefined &&
  change.messageId === messageId &&
  (change.chat === chat || change.chat === chatLid) &&
  isStep(change) &&
  change.step.state === state;

/**
 * Maps events to the steps of stored messages (accepted, delivered) that they report in the same unit of work: when its row shows that the
 * step was taken before, there is nothing to report.
 */
const reportedSteps = ({
  events = [],
  messageChanges = [],
}: Pick<SessionChanges, 'events' | 'messageChanges'>): ReadonlyMap<NewEvent, Step> => {
  const steps = new Map<NewEvent, Step>();
  let byId: Map<string, MessageChange[]> | null = null;
  for (const [index, wanted] of events.entries()) {
    const told = reportOf(wanted);
    if (told === null) continue;
    // Usually each event comes with its step at the same index.
    const beside = messageChanges[index];
    if (isOf(told, beside)) {
      steps.set(wanted, beside);
      continue;
    }
    byId ??= Map.groupBy(messageChanges, ({ messageId }) => messageId);
    const step = byId.get(told.messageId)?.find((change) => isOf(told, change));
    if (step !== undefined) steps.set(wanted, step);
  }
  return steps;
};

/** Filters events: drops claims about a message by others than its author, and steps that were taken before. */
const newsOf = (context: Context) => {
  const steps = messageSteps(context);
  const isAnothers = makeAuthorship(context);
  return function* numberedOf(
    deviceId: number,
    before: number,
    changes: Parameters<WriteEvents>[1],
    taken: Set<MessageChange>,
  ): Unit<readonly Numbered[]> {
    const { events = [], messageChanges = [] } = changes;
    const told = messageChanges.length === 0 ? null : reportedSteps(changes);
    const numbered: Numbered[] = [];
    for (const [index, wanted] of events.entries()) {
      if (wanted.claim !== undefined && (yield* isAnothers(deviceId, wanted.claim))) continue;
      // For a message that was not stored when the step was first reported, only the dedupe key shows it.
      const step = told?.get(wanted);
      if (step !== undefined && !(yield* steps.tell(deviceId, step, taken))) continue;
      numbered.push({ seq: before + 1 + index, wanted });
    }
    return numbered;
  };
};

const deviceQueries = ({ sql, database }: Context) => ({
  find: prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('id').where('id', '=', p.deviceId).where('deleted', '=', 0),
  ),
  /** Takes the numbers of new events, from `least` on. Its lock on the row keeps other writers of the log out. */
  bump: prepare((p: { deviceId: number; events: number; sent: number; least: number }) =>
    sql
      .updateTable('devices')
      .set((e) => {
        const least = e.cast<number>(e.val(p.least), 'bigint');
        const last = e.fn<number>(database.shared ? 'greatest' : 'max', ['event_seq', least]);
        return { event_seq: e(last, '+', p.events), messages_sent: e('messages_sent', '+', p.sent) };
      })
      .where('id', '=', p.deviceId)
      .where('deleted', '=', 0)
      .returning(['event_seq', 'user_id', 'webhooks_revision'])
      .returning((e) => {
        const user = e.selectFrom('users').whereRef('users.id', '=', 'devices.user_id');
        return user.select('users.webhooks_revision').as('user_revision');
      }),
  ),
});

export const eventWriter = (context: Context): WriteEvents => {
  const insert = logWriter(context);
  const numberedOf = newsOf(context);
  const device = deviceQueries(context);
  const queues = queueWriter(context);
  const interestsOf = interestReader(context);
  const follow = turnFollower(context);
  return function* writeEvents(deviceId, changes, taken) {
    const { events = [], sent = 0 } = changes;
    const { account, announcedOpen, pairingAt, lastSeenAt, limits } = changes;
    const isOfAccount = account !== undefined || limits !== undefined;
    if (isOfAccount || announcedOpen !== undefined || pairingAt !== undefined || lastSeenAt !== undefined)
      yield* writeDevice(context, deviceId, changes);
    if (events.length === 0 && sent === 0) {
      if ((yield* device.find.first({ deviceId })) === undefined) throw deviceNotFound();
      return [];
    }
    const now = context.now();
    const least = events.length === 0 ? 0 : lowestSeqAt(now);
    const row = yield* device.bump.first({ deviceId, events: events.length, sent, least });
    if (row === undefined) throw deviceNotFound();
    const before = row.event_seq - events.length;
    const numbered = yield* insert(deviceId, yield* numberedOf(deviceId, before, changes, taken), now);
    if (numbered.length === 0) return [];
    const interests = yield* interestsOf({
      deviceId,
      userId: row.user_id,
      deviceRevision: row.webhooks_revision,
      userRevision: row.user_revision ?? 0,
    });
    const turned = yield* follow(deviceId, interests, numbered);
    const added: NewDelivery[] = [];
    const committed: CommittedEvent[] = [];
    for (const { seq, wanted } of numbered) {
      const { event, at } = wanted;
      const deliveries = deliveriesOf(interests, deviceId, seq, wanted);
      added.push(...deliveries);
      const isPosted = deliveries.length > 0 || turned.has(wanted);
      committed.push({ id: eventId(deviceId, seq), deviceId, userId: row.user_id, at, event, isPosted });
    }
    if (added.length > 0) yield* queues.enqueue(deviceId, added, now);
    return committed;
  };
};
