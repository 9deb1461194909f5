/** Turns of chats, written with the events that change them, if a webhook wants `chat.settled`. */
import type { NewEvent } from '../../domain/changes.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import { type WebhookInterest, chatAddresses, isInterestedIn } from '../../domain/webhooks/interest.ts';
import { type Turn, turnAfter, turnDueAt, turnKinds } from '../../domain/webhooks/turn.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { chatTurnContext } from './tables.ts';

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
  const data = sealer.sealJson(turn, chatTurnContext(place));
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
  const before = row === undefined ? null : sealer.openJson(row.data, chatTurnContext({ device_id: deviceId, ...row }));
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
      const those = interests.filter((each) => isInterestedIn(each, deviceId, 'chat.settled', event));
      if (those.length > 0 && (yield* followOne(context, deviceId, those, { seq, event }))) changed.add(wanted);
    }
    return changed;
  };
