/** Rows of kept media as written by a session's commit and by retention. */
import { randomUUID } from 'node:crypto';
import { sql as text } from 'kysely';
import type { MessageRecord } from '../../domain/message.ts';
import { isKeepable } from '../../domain/messages/kept-media.ts';
import type { Context } from '../base/context.ts';
import { keepsMedia } from '../sealing/stored-settings.ts';
import { type Unit, all, prepare } from '../base/unit.ts';
import { chatLookup } from './message-steps.ts';

export interface KeptWriter {
  readonly keep: (deviceId: number, messages: readonly MessageRecord[]) => Unit<void>;
  readonly drop: (n: number) => Unit<void>;
  readonly renew: (n: number) => Unit<void>;
}

const queriesOf = ({ sql }: Context) => ({
  settings: prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('settings').where('id', '=', p.deviceId),
  ),
  drop: prepare((p: { n: number }) =>
    sql.updateTable('kept_media').set({ state: 'gone' }).where('message_n', '=', p.n),
  ),
});

export const keptWriter = (context: Context): KeptWriter => {
  const { sql, sealer, now } = context;
  const queries = queriesOf(context);
  return {
    *keep(deviceId, messages) {
      const keepable = messages.filter(isKeepable);
      if (keepable.length === 0) return;
      const device = yield* queries.settings.first({ deviceId });
      if (device === undefined || !keepsMedia(device)) return;
      const ids = keepable.map(({ id }) => id);
      const found = yield* all(
        sql
          .selectFrom('messages')
          .select(['n', 'id', 'chat_hash'])
          .where('device_id', '=', deviceId)
          .where('id', 'in', ids),
      );
      const at = now();
      for (const { id, chat, historic } of keepable) {
        const hash = chatLookup(sealer, deviceId, chat);
        const row = found.find((each) => each.id === id && each.chat_hash === hash);
        if (row === undefined) continue;
        const values = { message_n: row.n, device_id: deviceId, due_at: at, file: randomUUID(), stored_at: at };
        const rest = { state: 'waiting', historic: historic === true ? 1 : 0, attempts: 0 } as const;
        const insert = sql.insertInto('kept_media').values({ ...values, ...rest });
        yield* all(insert.onConflict((c) => c.column('message_n').doNothing()));
      }
    },
    *drop(n) {
      yield* queries.drop.all({ n });
    },
    *renew(n) {
      const row = sql.updateTable('kept_media').where('message_n', '=', n);
      // A running fetch ends with the former file name and is not kept.
      yield* all(row.set({ file: randomUUID() }).where('state', '=', 'waiting'));
      const again = { state: 'waiting', due_at: now(), attempts: 0 } as const;
      yield* all(row.set(again).where('state', '!=', 'gone'));
    },
  };
};

const stepSize = 500;

export const dropKeptBefore = async ({ sql, database }: Context, before: number): Promise<number> => {
  const old = sql
    .selectFrom('kept_media')
    .select('message_n')
    .where('stored_at', '<', before)
    .where('state', '!=', 'gone')
    .limit(stepSize);
  const query = sql
    .updateTable('kept_media')
    .set({ state: 'gone' })
    .where('message_n', 'in', old)
    .returning(text.lit(1).as('one'));
  let count = 0;
  for (;;) {
    const step = (await database.write(() => all(query))).length;
    count += step;
    if (step < stepSize) return count;
  }
};
