/** The webhooks that want an event, and the turns of chats for those that want `chat.settled`. Cached under revisions read with every new event, so a change applies from the next event on, on every node. */
import type { NewEvent } from '../../domain/changes.ts';
import { LRUCache } from 'lru-cache';
import {
  type WebhookInterest,
  interestOf,
  isWanted,
  chatAddresses,
  isInterestedIn,
} from '../../domain/webhooks/interest.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { Context } from '../base/context.ts';
import type { NewDelivery } from './delivery-queues.ts';
import { type Unit, prepare, all, first } from '../base/unit.ts';
import { webhookColumns, webhookOf } from './tables.ts';
import { atMost } from '../../domain/at-most.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import { type Turn, turnAfter, turnDueAt, turnKinds } from '../../domain/webhooks/turn.ts';
import { contextOf } from '../sealing/sealer.ts';

const maxKept = 10_000;

export type Interest = WebhookInterest & Pick<NewDelivery, 'target'>;

const ofWebhook = (webhook: Webhook): Interest => {
  const { url, disabledAt } = webhook;
  return { ...interestOf(webhook), target: url === null || disabledAt !== null ? null : { ...webhook, url } };
};

interface Kept {
  readonly revision: number;
  readonly interests: readonly Interest[];
}

interface Owner {
  readonly deviceId: number;
  readonly userId: number;
  readonly deviceRevision: number;
  /** 0: the user has no account-wide webhooks. */
  readonly userRevision: number;
}

export const interestReader = (context: Context): ((owner: Owner) => Unit<readonly Interest[]>) => {
  const { sql, sealer } = context;
  const [byDevice, byUser] = [new LRUCache<number, Kept>(atMost(maxKept)), new LRUCache<number, Kept>(atMost(maxKept))];
  const enabled = () =>
    sql.selectFrom('webhooks').select(webhookColumns).where('enabled', '=', 1).where('deleted', '=', 0);
  const ofDevice = prepare((p: { id: number }) => enabled().where('device_id', '=', p.id));
  const ofUser = prepare((p: { id: number }) => enabled().where('user_id', '=', p.id).where('device_id', 'is', null));

  function* read(
    kept: LRUCache<number, Kept>,
    query: typeof ofDevice,
    id: number,
    revision: number,
  ): Unit<readonly Interest[]> {
    const known = kept.get(id);
    if (known?.revision === revision) return known.interests;
    const interests = (yield* query.all({ id })).map((row) => ofWebhook(webhookOf(sealer, row)));
    kept.set(id, { revision, interests });
    return interests;
  }

  return function* interests({ deviceId, userId, deviceRevision, userRevision }) {
    const own = yield* read(byDevice, ofDevice, deviceId, deviceRevision);
    if (userRevision === 0) return own;
    const wide = yield* read(byUser, ofUser, userId, userRevision);
    return wide.length === 0 ? own : [...own, ...wide];
  };
};

/** Unordered deliveries have a queue each. */
export const deliveriesOf = (
  interests: readonly Interest[],
  deviceId: number,
  seq: number,
  { event, orderKey }: Pick<NewEvent, 'event' | 'orderKey'>,
): readonly NewDelivery[] => {
  const deliveries: NewDelivery[] = [];
  for (const interest of interests) {
    if (!isWanted(interest, deviceId, event)) continue;
    const { id: webhookId, ordered, target } = interest;
    deliveries.push({ seq, orderKey: ordered ? orderKey : `alone/${seq}`, webhookId, target });
  }
  return deliveries;
};

interface Key {
  readonly deviceId: number;
  readonly chatHash: string;
}

interface Numbered {
  readonly seq: number;
  readonly event: DeviceEvent;
}

export const writeTurn = ({ sql, sealer, now }: Context, { deviceId, chatHash }: Key, turn: Turn): Unit<unknown> => {
  if (turn.messages.length === 0)
    return all(sql.deleteFrom('chat_turns').where('device_id', '=', deviceId).where('chat_hash', '=', chatHash));
  const place = { device_id: deviceId, chat_hash: chatHash };
  const data = sealer.sealJson(turn, contextOf('chat_turns.data', place));
  const values = { due_at: turnDueAt(turn), stored_at: now(), data };
  const insert = sql.insertInto('chat_turns').values({ ...place, ...values });
  return all(insert.onConflict((c) => c.columns(['device_id', 'chat_hash']).doUpdateSet(values)));
};

const hashesOf = ({ sealer }: Context, deviceId: number, event: DeviceEvent): string[] => [
  ...new Set(
    chatAddresses(event)
      .filter((address) => address !== null)
      .map((address) => sealer.lookup('chat', deviceId, address)),
  ),
];

function* followOne(
  context: Context,
  deviceId: number,
  interests: readonly WebhookInterest[],
  numbered: Numbered,
): Unit<boolean> {
  const { sql, sealer, now } = context;
  const hashes = hashesOf(context, deviceId, numbered.event);
  if (hashes.length === 0) return false;
  const query = sql.selectFrom('chat_turns').select(['chat_hash', 'data']).where('device_id', '=', deviceId);
  const row = yield* first(query.where('chat_hash', 'in', hashes).orderBy('stored_at', 'desc').limit(1));
  const chatHash = row?.chat_hash ?? hashes[0]!;
  const place = { device_id: deviceId, chat_hash: chatHash };
  const before = row === undefined ? null : sealer.openJson(row.data, contextOf('chat_turns.data', place));
  const wanted = new Set(interests.map(({ settleSeconds }) => settleSeconds!));
  const after = turnAfter(before, numbered, now(), wanted);
  if (after === before || (before === null && after.messages.length === 0)) return false;
  yield* writeTurn(context, { deviceId, chatHash }, after);
  return true;
}

export const turnFollower = (context: Context) =>
  function* follow(
    deviceId: number,
    interests: readonly WebhookInterest[],
    events: readonly { readonly seq: number; readonly wanted: NewEvent }[],
  ): Unit<ReadonlySet<NewEvent>> {
    const changed = new Set<NewEvent>();
    for (const { seq, wanted } of events) {
      const { event } = wanted;
      if (!turnKinds.has(event.type)) continue;
      const those: WebhookInterest[] = [];
      for (const each of interests) if (isInterestedIn(each, deviceId, 'chat.settled', event)) those.push(each);
      if (those.length > 0 && (yield* followOne(context, deviceId, those, { seq, event }))) changed.add(wanted);
    }
    return changed;
  };
