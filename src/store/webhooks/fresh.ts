/** Fresh deliveries: claimed by the commit that writes them (docs/decisions/0044-posted-by-their-writer.md). Late ones go to their queue. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { deliveryId } from '../base/ids.ts';
import { type Unit, all } from '../base/unit.ts';
import { type OrderKey, lockDevice, queueWriter } from './delivery-queues.ts';

const releaseSize = 500;

const expiredQuery = ({ sql }: Pick<Context, 'sql'>, until: number) =>
  sql
    .selectFrom('deliveries')
    .select(['device_id as deviceId', 'webhook_id as webhookId', 'order_hash as orderHash'])
    .distinct()
    .where('claimed_by', 'is not', null)
    .where('created_at', '<=', until)
    .limit(releaseSize);

const releasing = (context: Context) => {
  const { database } = context;
  const queues = queueWriter(context);
  function* unit(key: OrderKey): Unit<readonly number[]> {
    yield* lockDevice(context, key.deviceId);
    return yield* queues.release(key, context.now());
  }
  return (key: OrderKey): Promise<readonly number[]> => database.write(() => unit(key), { isUnflushed: true });
};

/** Releases what processes have claimed until then and not posted: they have died, or lost it. */
export const releaseExpired = async (context: Context, until: number): Promise<void> => {
  const release = releasing(context);
  for (let found = releaseSize; found === releaseSize;) {
    const keys = await context.database.read(() => all(expiredQuery(context, until)));
    await Promise.all(keys.map(release));
    found = keys.length;
  }
};

export const freshOutbox = (context: Context): Pick<Outbox, 'takeFresh' | 'release'> => {
  const release = releasing(context);
  return {
    takeFresh: (taker) => {
      context.fresh.taker = taker;
    },
    release: async (left) => {
      const released = await Promise.all(left.map(async (due) => ({ due, seqs: await release(due) })));
      return released.flatMap(({ due, seqs }) => seqs.map((seq) => deliveryId(due.deviceId, seq, due.webhook)));
    },
  };
};
