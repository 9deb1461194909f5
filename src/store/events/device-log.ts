/** The device's part of its log: it numbers the events and says which are posted. */
import type { ExpressionBuilder } from 'kysely';
import type { EventKind } from '../../domain/event.ts';
import { deviceNotFound } from '../../errors.ts';
import type { Context } from '../context.ts';
import { kindsOf } from '../devices/device-rows.ts';
import { lowestSeqAt } from './ids.ts';
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

/** The place of a device's new events, and how they are told. */
interface DeviceLog {
  readonly userId: number;
  /** The kinds of events that are posted. */
  readonly kinds: readonly EventKind[];
  /** The number before the first new event. */
  readonly before: number;
}

export interface DeviceLogs {
  /** Throws DeviceNotFound for a device that is gone. */
  assert(deviceId: number): Unit<void>;
  /** Does so, too, and takes the numbers of new events. */
  bump(params: Omit<Bump, 'least'>): Unit<DeviceLog>;
}

export const deviceLogs = (context: Context): DeviceLogs => {
  const { sql } = context;
  const find = prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('id').where('id', '=', p.deviceId).where('deleted', '=', 0),
  );
  const bump = prepare((p: Bump) => bumped(context, p).returning(columns));
  return {
    *assert(deviceId) {
      if ((yield* find.first({ deviceId })) === undefined) throw deviceNotFound();
    },
    *bump(wanted) {
      const { events } = wanted;
      const row = yield* bump.first({ ...wanted, least: events === 0 ? 0 : lowestSeqAt(context.now()) });
      if (row === undefined) throw deviceNotFound();
      const kinds = row.has_url === 1 && row.disabled_at === null ? kindsOf(row) : [];
      return { userId: row.user_id, kinds, before: row.event_seq - events };
    },
  };
};
