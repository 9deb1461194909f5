/**
 * Requests a minute a user, exact over all nodes: the times of the accepted ones in one row, changed by one statement. It looks at the key
 * as well: one that another node has revoked stops here at once, though this node remembers it.
 */
import type { RateStore } from '../../domain/lease.ts';
import type { Context } from '../base/context.ts';

const text = (() => {
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
  const kept = `array(select t from unnest(r.times) t where t > ${now} - $2 order by t)`;
  return `insert into rates as r (user_id, times, allowed)
values ($1, case when $3 > 0 then array[${now}] else '{}' end, case when $3 > 0 then 1 else 0 end)
on conflict (user_id) do update set
  times = case when cardinality(${kept}) < $3 then ${kept} || ${now} else ${kept} end,
  allowed = case when cardinality(${kept}) < $3 then 1 else 0 end
returning allowed, cardinality(times) as count, coalesce(times[1], ${now}) + $2 - ${now} as reset_ms,
  $4::bigint is null or exists (
    select from api_keys k where k.id = $4 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $5)
  ) as valid`;
})();

interface Row {
  readonly allowed: number;
  readonly count: number;
  readonly reset_ms: number;
  readonly valid: boolean;
}

export const rateStore = ({ database, now }: Pick<Context, 'database' | 'now'>): RateStore => ({
  take: async (userId, limit, windowMs, keyId = null) => {
    const row = await database.read(function* () {
      const rows: Row[] = yield { sql: text, values: [userId, windowMs, limit, keyId, now()] };
      return rows[0]!;
    });
    const { allowed, count, reset_ms: resetMs, valid } = row;
    return { allowed: allowed === 1, remaining: Math.max(0, limit - count), resetMs, valid };
  },
});
