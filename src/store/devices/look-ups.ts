/** Counts look-ups per device and day in one statement, so that the limit holds across nodes. */
import type { LookUpStore } from '../../domain/chats/contact.ts';
import type { Context } from '../base/context.ts';
import { first } from '../base/unit.ts';

const dayMs = 86_400_000;

export const lookUpStore = ({ sql, database }: Pick<Context, 'sql' | 'database'>): LookUpStore => ({
  take: async (deviceId, kind, { count, max, now }) => {
    const day = Math.floor(now / dayMs);
    const query = sql
      .insertInto('look_ups')
      .values({ device_id: deviceId, kind, day, count })
      .onConflict((c) =>
        c
          .columns(['device_id', 'kind'])
          .doUpdateSet((e) => ({
            day,
            count: e
              .case()
              .when('look_ups.day', '=', day)
              .then(e('look_ups.count', '+', count))
              .else(count)
              .end(),
          }))
          .where((e) => e.or([e('look_ups.day', '!=', day), e('look_ups.count', '<=', max - count)])),
      )
      .returning('count');
    return (await database.write(() => first(query))) !== undefined;
  },
});
