/** Counts messages, deliveries and failed posts by the hour or the day. */
import { type RawBuilder, sql as raw } from 'kysely';
import { intervalsOf, type Usage, type UsageSpan, type UsageStore, usageSteps } from '../domain/usage.ts';
import type { Context } from './base/context.ts';
import { lowestSeqAt } from './base/ids.ts';
import { all, type Unit } from './base/unit.ts';

type Mutable = { -readonly [Name in keyof Omit<Usage, 'deliveries'>]: Usage[Name] } & {
  readonly deliveries: { -readonly [Name in keyof Usage['deliveries']]: number };
};

const empty = (from: number): Mutable => ({
  from,
  sent: 0,
  received: 0,
  failed: 0,
  deliveries: { delivered: 0, pending: 0, failed: 0 },
  failedPosts: 0,
});

const bucket = (column: 'timestamp' | 'created_at' | 'at', step: number): RawBuilder<number> =>
  raw<number>`${raw.ref(column)} / cast(${step} as bigint) * cast(${step} as bigint)`;

const count = raw<number>`cast(count(*) as bigint)`;

const devicesIn =
  ({ sql }: Context) =>
  (owner: Owner) =>
    'deviceId' in owner
      ? sql.selectFrom('devices').select('id').where('id', '=', owner.deviceId)
      : sql
          .selectFrom('devices')
          .select('id')
          .where((e) => e.and({ user_id: owner.userId, deleted: 0 }))
          .$if(owner.only !== null, (devices) => devices.where('id', 'in', owner.only!));

type Devices = ReturnType<ReturnType<typeof devicesIn>>;

function* countFailedPosts(
  { sql }: Context,
  devices: Devices,
  { step, from, end }: { readonly step: number; readonly from: number; readonly end: number },
  usage: ReadonlyMap<number, Mutable>,
): Unit<void> {
  const posts = sql
    .selectFrom('attempts')
    .select([bucket('at', step).as('start'), count.as('count')])
    .where('device_id', 'in', devices)
    .where('at', '>=', from)
    .where('at', '<', end)
    .where((e) => e.or([e('status', 'is', null), e('status', '<', 200), e('status', '>', 299)]))
    .groupBy('start');
  for (const { start, count: found } of yield* all(posts)) {
    const entry = usage.get(start);
    if (entry !== undefined) entry.failedPosts += found;
  }
}

export const usageStore = (context: Context): UsageStore => {
  const { sql, database } = context;
  const devicesOf = devicesIn(context);

  function* counted(owner: Owner, span: UsageSpan): Unit<readonly Usage[]> {
    const intervals = intervalsOf(span);
    const step = usageSteps[span.by];
    const from = intervals[0] ?? 0;
    const end = (intervals.at(-1) ?? 0) + step;
    const usage = new Map(intervals.map((start) => [start, empty(start)]));
    const messages = sql
      .selectFrom('messages')
      .select((e) => ['state', e('accepted_at', 'is', null).as('unsent')])
      .select([bucket('timestamp', step).as('start'), count.as('count')])
      .where('device_id', 'in', devicesOf(owner))
      .where('timestamp', '>=', from)
      .where('timestamp', '<', end)
      .where('state', 'not in', ['action', 'pending'])
      .groupBy(['start', 'state', 'unsent']);
    for (const { start, state, unsent, count: found } of yield* all(messages)) {
      const entry = usage.get(start);
      if (entry === undefined) continue;
      entry[state === 'failed' ? 'failed' : unsent ? 'received' : 'sent'] += found;
    }
    const deliveries = sql
      .selectFrom('deliveries')
      .select(['state', bucket('created_at', step).as('start'), count.as('count')])
      .where('device_id', 'in', devicesOf(owner))
      .where('seq', '>=', lowestSeqAt(from))
      .where('created_at', '>=', from)
      .where('created_at', '<', end)
      .groupBy(['start', 'state']);
    for (const { start, state, count: found } of yield* all(deliveries)) {
      const entry = usage.get(start);
      if (entry !== undefined) entry.deliveries[state] += found;
    }
    yield* countFailedPosts(context, devicesOf(owner), { step, from, end }, usage);
    return [...usage.values()];
  }

  return {
    ofDevice: (deviceId, span) => database.read(() => counted({ deviceId }, span)),
    ofUser: (userId, span, only = null) => database.read(() => counted({ userId, only }, span)),
  };
};

type Owner = { readonly deviceId: number } | { readonly userId: number; readonly only: readonly number[] | null };
