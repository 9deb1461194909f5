/** What the log needs of its device: the numbers of the events, and which of them are posted. */
import type { ExpressionBuilder } from 'kysely';
import { deviceNotFound } from '../../errors.ts';
import type { Context } from '../context.ts';
import { kindsOf } from '../devices/device-rows.ts';
import { lowestSeqAt } from './ids.ts';
import type { DeviceLog } from '../devices/known-devices.ts';
import type { Schema } from '../schema.ts';
import { type Unit, prepare } from '../unit.ts';

type Bump = {
  readonly deviceId: number;
  readonly events: number;
  readonly sent: number;
  /** Lower bound for the sequence number before the first new event. */
  readonly least: number;
};

const bumped = ({ sql }: Context, p: Bump) =>
  sql
    .updateTable('devices')
    .set((e) => ({
      event_seq: e(
        e
          .case()
          .when('event_seq', '<', p.least)
          .then(e.cast<number>(e.val(p.least), 'bigint'))
          .else(e.ref('event_seq'))
          .end(),
        '+',
        p.events,
      ),
      messages_sent: e('messages_sent', '+', p.sent),
    }))
    .where('id', '=', p.deviceId)
    .where('deleted', '=', 0);

const columns = (e: ExpressionBuilder<Schema, 'devices'>) =>
  [
    'event_seq',
    'user_id',
    'webhook_events',
    e.case().when('webhook_url', 'is not', null).then(e.lit(1)).else(e.lit(0)).end().as('has_url'),
    'disabled_at',
  ] as const;

interface Row {
  readonly event_seq: number;
  readonly user_id: number;
  readonly webhook_events: string;
  readonly has_url: number;
  readonly disabled_at: number | null;
}

const logOf = (row: Row): DeviceLog => ({
  userId: row.user_id,
  kinds: row.has_url === 1 && row.disabled_at === null ? kindsOf(row) : [],
  last: row.event_seq,
});

export interface DeviceLogs {
  /** Throws DeviceNotFound for a device that is gone. */
  assert(deviceId: number): Unit<void>;
  /** The same, and takes the numbers of new events: those after `before`. */
  bump(params: Omit<Bump, 'least'>): Unit<Pick<DeviceLog, 'userId' | 'kinds'> & { readonly before: number }>;
}

export const deviceLogs = (context: Context): DeviceLogs => {
  const { sql, database, known } = context;
  const find = prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select(columns).where('id', '=', p.deviceId).where('deleted', '=', 0),
  );
  const bump = prepare((p: Bump) => bumped(context, p));
  const bumpAndFind = prepare((p: Bump) => bumped(context, p).returning(columns));

  function* logOfDevice(deviceId: number): Unit<DeviceLog> {
    const before = known?.log(deviceId);
    if (before !== undefined) return before;
    const row = yield* find.first({ deviceId });
    if (row === undefined) throw deviceNotFound();
    const log = logOf(row);
    known?.keepLog(deviceId, log);
    return log;
  }

  return {
    *assert(deviceId) {
      yield* logOfDevice(deviceId);
    },
    *bump(wanted) {
      const { deviceId, events } = wanted;
      const params = { ...wanted, least: events === 0 ? 0 : lowestSeqAt(context.now()) };
      if (database.shared) {
        const row = yield* bumpAndFind.first(params);
        if (row === undefined) throw deviceNotFound();
        const { last, ...rest } = logOf(row);
        return { ...rest, before: last - events };
      }
      const log = yield* logOfDevice(deviceId);
      yield* bump.all(params);
      const { userId, kinds, last } = log;
      const before = Math.max(last, params.least);
      log.last = before + events;
      return { userId, kinds, before };
    },
  };
};
