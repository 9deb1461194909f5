/**
 * The additional webhooks that want an event. A user's are kept in memory under the revision that stands in the user's row, which is
 * read with the numbers of every new event: a change applies from the next event on, on every node. A user without any costs nothing more.
 */
import { LRUCache } from 'lru-cache';
import type { NewEvent } from '../../domain/event.ts';
import { type WebhookInterest, interestOf, isWanted } from '../../domain/webhooks/interest.ts';
import type { Context } from '../base/context.ts';
import type { NewDelivery } from './delivery-queues.ts';
import { type Unit, prepare } from '../base/unit.ts';
import { webhookColumns, webhookOf } from './rows.ts';

/** Users whose webhooks are kept. */
const most = 1_000;

interface Kept {
  readonly revision: number;
  readonly interests: readonly WebhookInterest[];
}

export type ReadInterests = (userId: number, revision: number) => Unit<readonly WebhookInterest[]>;

export const interestReader = ({ sql, sealer }: Context): ReadInterests => {
  const kept = new LRUCache<number, Kept>({ max: most });
  const enabled = prepare((p: { userId: number }) =>
    sql
      .selectFrom('webhooks')
      .select(webhookColumns)
      .where('user_id', '=', p.userId)
      .where('enabled', '=', 1)
      .where('deleted', '=', 0),
  );
  return function* interests(userId, revision) {
    const known = kept.get(userId);
    if (known?.revision === revision) return known.interests;
    const rows = yield* enabled.all({ userId });
    const made = { revision, interests: rows.map((row) => interestOf(webhookOf(sealer, row))) };
    kept.set(userId, made);
    return made.interests;
  };
};

/** The deliveries of an event. Without order each has a queue of its own. */
export const deliveriesOf = (
  interests: readonly WebhookInterest[],
  deviceId: number,
  seq: number,
  { event, orderKey }: Pick<NewEvent, 'event' | 'orderKey'>,
): readonly NewDelivery[] =>
  interests
    .filter((interest) => isWanted(interest, deviceId, event))
    .map(({ id, ordered }) => ({ seq, orderKey: ordered ? orderKey : `alone/${seq}`, webhookId: id }));
