/** The webhooks that want an event. Cached under revisions read with every new event, so a change applies from the next event on, on every node. */
import type { NewEvent } from '../../domain/changes.ts';
import { LRUCache } from 'lru-cache';
import { type WebhookInterest, interestOf, isWanted } from '../../domain/webhooks/interest.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { Context } from '../base/context.ts';
import type { NewDelivery } from './delivery-queues.ts';
import { type Unit, prepare } from '../base/unit.ts';
import { webhookColumns, webhookOf } from './tables.ts';
import { atMost } from '../../domain/at-most.ts';

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
): readonly NewDelivery[] =>
  interests
    .filter((interest) => isWanted(interest, deviceId, event))
    .map(({ id, ordered, target }) => ({ seq, orderKey: ordered ? orderKey : `alone/${seq}`, webhookId: id, target }));
