/** Writes events, their deliveries and the device's columns; part of a session's commit. */
import type { SessionChanges, NewEvent } from '../../domain/changes.ts';
import { type FreshDelivery, freshLeaseMs } from '../../domain/delivery.ts';
import type { StoredEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import { deviceNotFound } from '../../errors.ts';
import { makeAuthorship } from '../messages/message-writer.ts';
import type { Context, WrittenEvent } from '../base/context.ts';
import { deliveryId, eventId, lowestSeqAt } from '../base/ids.ts';
import { eventOf } from './events-of.ts';
import { type NewDelivery, type QueuedRow, queueWriter } from '../webhooks/delivery-queues.ts';
import { isStep, messageSteps } from '../messages/message-steps.ts';
import { type Unit, all, prepare } from '../base/unit.ts';
import { deliveriesOf, interestReader, turnFollower } from '../webhooks/interests.ts';
import { contextOf } from '../sealing/sealer.ts';
import { adding, finding } from '../base/statements.ts';

/** `left` receives the steps of facts that are still to be written. */
export type WriteEvents = (
  deviceId: number,
  changes: Pick<SessionChanges, 'facts' | 'sent' | 'account' | 'announcedOpen' | 'pairingAt' | 'lastSeenAt' | 'limits'>,
  left?: MessageChange[],
) => Unit<readonly WrittenEvent[]>;

const queriesOf = (context: Context) => ({
  insert: adding(context, 'events', ['device_id', 'seq', 'at', 'kind', 'dedupe_hash', 'data', 'stored_at']),
  since: prepare((p: { deviceId: number; first: number }) =>
    context.sql.selectFrom('events').select('seq').where('device_id', '=', p.deviceId).where('seq', '>=', p.first),
  ),
});

interface Numbered {
  readonly seq: number;
  readonly wanted: NewEvent;
}

function* writeDevice({ sql, sealer }: Context, deviceId: number, changes: Parameters<WriteEvents>[1]): Unit<void> {
  const { account, announcedOpen, pairingAt, lastSeenAt, limits } = changes;
  const sealed = account ? sealer.sealJson(account, contextOf('devices.account', { id: deviceId })) : null;
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

/** Events whose dedupe key exists are left out; their numbers stay unused. */
const logWriter = (context: Context) => {
  const { sealer } = context;
  const queries = queriesOf(context);
  return function* insert(deviceId: number, numbered: readonly Numbered[], now: number): Unit<readonly Numbered[]> {
    if (numbered.length === 0) return numbered;
    const rows = [];
    for (const { seq, wanted } of numbered) {
      const { event, at, orderKey, dedupeKey } = wanted;
      const dedupeHash = dedupeKey === undefined ? null : sealer.lookup('dedupe', deviceId, dedupeKey);
      const of = contextOf('events.data', { device_id: deviceId, seq });
      const data = sealer.sealJson({ data: event.data, orderKey }, of);
      rows.push({ device_id: deviceId, seq, at, kind: event.type, dedupe_hash: dedupeHash, data, stored_at: now });
    }
    if ((yield* queries.insert.write(rows)) === rows.length) return numbered;
    const found = yield* queries.since.all({ deviceId, first: rows[0]!.seq });
    const written = new Set(found.map(({ seq }) => seq));
    return numbered.filter(({ seq }) => written.has(seq));
  };
};

/** Drops claims about a message by anyone but its author, and steps taken before. Takes reported steps, and adds the others to `left`. */
const newsOf = (context: Context) => {
  const steps = messageSteps(context);
  const isAnothers = makeAuthorship(context);
  return function* isNews(deviceId: number, { event, author, step }: NewEvent, left: MessageChange[]): Unit<boolean> {
    const { data } = event;
    if (author !== undefined && 'messageId' in data) {
      const { messageId, chat } = data;
      if (yield* isAnothers(deviceId, { messageId, chat, author })) return false;
    }
    if (step === undefined) return true;
    // `played` is the same step as `read`, but another event.
    const reported = isStep(step) && step.step.state !== 'read' ? step : null;
    if (reported !== null && (yield* steps.take(deviceId, reported))) return true;
    left.push(step);
    // Each reader in a group is news. For readers, and for a message not stored at the time, only the dedupe key shows an earlier report.
    const isOfReader = 'update' in data && 'from' in data.update;
    return reported === null || isOfReader || !(yield* steps.isTaken(deviceId, reported));
  };
};

const deviceQueries = ({ sql, database }: Context) => ({
  find: finding({ sql }, 'devices', ['id'], ['id', 'deleted']),
  /** Numbers new events, from at least `least`. Locks the row against other writers of the log. */
  bump: prepare((p: { deviceId: number; events: number; sent: number; least: number }) =>
    sql
      .updateTable('devices')
      .set((e) => {
        const least = e.cast<number>(e.val(p.least), 'bigint');
        const last = e.fn<number>(database.shared ? 'greatest' : 'max', ['event_seq', least]);
        return { event_seq: e(last, '+', p.events), messages_sent: e('messages_sent', '+', p.sent) };
      })
      .where((e) => e.and({ id: p.deviceId, deleted: 0 }))
      .returning(['event_seq', 'user_id', 'webhooks_revision'])
      .returning((e) => {
        const user = e.selectFrom('users').whereRef('users.id', '=', 'devices.user_id');
        return user.select('users.webhooks_revision').as('user_revision');
      }),
  ),
});

const freshDelivery = (event: StoredEvent, row: QueuedRow): FreshDelivery => {
  const { deviceId, webhookId, seq, orderHash, orderKey, now } = row;
  const webhook = row.target!;
  const key = { id: deliveryId(deviceId, seq, webhook), seq, deviceId, webhookId, userId: webhook.userId };
  return { ...key, webhook, orderKey, orderHash, attempts: 0, event, leaseUntil: now + freshLeaseMs };
};

export const eventWriter = (context: Context): WriteEvents => {
  const insert = logWriter(context);
  const isNews = newsOf(context);
  const device = deviceQueries(context);
  const queues = queueWriter(context);
  const interestsOf = interestReader(context);
  const follow = turnFollower(context);
  return function* writeEvents(deviceId, changes, left = []) {
    const { facts = [], sent = 0 } = changes;
    const events = facts.map(eventOf);
    const { account, announcedOpen, pairingAt, lastSeenAt, limits } = changes;
    const isOfAccount = account !== undefined || limits !== undefined;
    if (isOfAccount || announcedOpen !== undefined || pairingAt !== undefined || lastSeenAt !== undefined)
      yield* writeDevice(context, deviceId, changes);
    if (events.length === 0 && sent === 0) {
      if ((yield* device.find.first({ id: deviceId, deleted: 0 })) === undefined) throw deviceNotFound();
      return [];
    }
    const now = context.now();
    const least = events.length === 0 ? 0 : lowestSeqAt(now);
    const row = yield* device.bump.first({ deviceId, events: events.length, sent, least });
    if (row === undefined) throw deviceNotFound();
    const before = row.event_seq - events.length;
    const news: Numbered[] = [];
    for (const [index, wanted] of events.entries())
      if (yield* isNews(deviceId, wanted, left)) news.push({ seq: before + 1 + index, wanted });
    const numbered = yield* insert(deviceId, news, now);
    if (numbered.length === 0) return [];
    const interests = yield* interestsOf({
      deviceId,
      userId: row.user_id,
      deviceRevision: row.webhooks_revision,
      userRevision: row.user_revision ?? 0,
    });
    const turned = yield* follow(deviceId, interests, numbered);
    const added: NewDelivery[] = [];
    const counts: number[] = [];
    for (const { seq, wanted } of numbered) {
      const deliveries = deliveriesOf(interests, deviceId, seq, wanted);
      added.push(...deliveries);
      counts.push(deliveries.length);
    }
    // In the order of `added`.
    const rows = yield* queues.enqueue(deviceId, added, now);
    const written: WrittenEvent[] = [];
    let next = 0;
    for (const [index, { seq, wanted }] of numbered.entries()) {
      const event = { id: eventId(deviceId, seq), deviceId, at: wanted.at, event: wanted.event };
      const fresh: FreshDelivery[] = [];
      for (; rows[next]?.seq === seq; next += 1) fresh.push(freshDelivery(event, rows[next]!));
      const isPosted = counts[index]! > fresh.length || turned.has(wanted);
      written.push({ ...event, userId: row.user_id, isPosted, fresh });
    }
    return written;
  };
};
