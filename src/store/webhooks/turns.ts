/** Turns of chats, written in the transaction of the events that change them, and only where a webhook wants `chat.settled`. */
import type { DeviceEvent, NewEvent } from '../../domain/event.ts';
import { type WebhookInterest, chatAddresses, isInterestedIn } from '../../domain/webhooks/interest.ts';
import { type Turn, turnAfter, turnKinds } from '../../domain/webhooks/turn.ts';
import type { Context } from '../context.ts';
import { type Unit, all } from '../unit.ts';
import { turnContext } from './tables.ts';

interface Key {
  readonly deviceId: number;
  readonly chatHash: string;
  readonly seconds: number;
}

const columns = ['chat_hash', 'settle_seconds', 'due_at', 'latest_at', 'data'] as const;

/** Removes a turn without messages. */
export const writeTurn = ({ sql, sealer, now }: Context, key: Key, turn: Turn): Unit<unknown> => {
  const { deviceId, chatHash, seconds } = key;
  const place = { device_id: deviceId, chat_hash: chatHash, settle_seconds: seconds };
  if (turn.messages.length === 0) {
    const gone = sql.deleteFrom('turns').where('device_id', '=', deviceId).where('chat_hash', '=', chatHash);
    return all(gone.where('settle_seconds', '=', seconds));
  }
  const data = sealer.sealJson(turn.messages, turnContext(place));
  const values = { due_at: turn.dueAt, latest_at: turn.latestAt, stored_at: now(), data };
  const insert = sql.insertInto('turns').values({ ...place, ...values });
  return all(insert.onConflict((c) => c.columns(['device_id', 'chat_hash', 'settle_seconds']).doUpdateSet(values)));
};

const hashesOf = ({ sealer }: Context, deviceId: number, event: DeviceEvent): string[] => [
  ...new Set(
    chatAddresses(event)
      .filter((address) => address !== null)
      .map((address) => sealer.lookup('chat', deviceId, address)),
  ),
];

/** Follows an event; true where it has changed a turn. */
function* followOne(
  context: Context,
  deviceId: number,
  interests: readonly WebhookInterest[],
  event: DeviceEvent,
): Unit<boolean> {
  const hashes = hashesOf(context, deviceId, event);
  if (hashes.length === 0) return false;
  const query = context.sql.selectFrom('turns').select(columns).where('device_id', '=', deviceId);
  const rows = yield* all(query.where('chat_hash', 'in', hashes));
  const wanted = new Set(rows.map((row) => row.settle_seconds));
  if (event.type === 'message.received') for (const { settleSeconds } of interests) wanted.add(settleSeconds!);
  for (const seconds of wanted) {
    const row = rows.find((each) => each.settle_seconds === seconds);
    const chatHash = row?.chat_hash ?? hashes[0]!;
    const place = { device_id: deviceId, chat_hash: chatHash, settle_seconds: seconds };
    const before: Turn | null =
      row === undefined
        ? null
        : {
            messages: context.sealer.openJson(row.data, turnContext(place)),
            dueAt: row.due_at,
            latestAt: row.latest_at,
          };
    const after = turnAfter(before, event, context.now(), seconds * 1000);
    if (after !== before) yield* writeTurn(context, { deviceId, chatHash, seconds }, after);
  }
  return wanted.size > 0;
}

export const turnFollower = (context: Context) =>
  /** Part of the transaction of the events. Returns those that changed a turn. */
  function* follow(
    deviceId: number,
    interests: readonly WebhookInterest[],
    events: readonly { readonly wanted: NewEvent }[],
  ): Unit<ReadonlySet<NewEvent>> {
    const changed = new Set<NewEvent>();
    for (const { wanted } of events) {
      if (!turnKinds.has(wanted.event.type)) continue;
      const those = interests.filter((each) => isInterestedIn(each, deviceId, 'chat.settled', wanted.event));
      if (those.length > 0 && (yield* followOne(context, deviceId, those, wanted.event))) changed.add(wanted);
    }
    return changed;
  };
