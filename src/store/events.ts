/** The event log of each device. */
import type { EventStore } from '../domain/stores.ts';
import { invalidRequest } from '../errors.ts';
import type { Context } from './context.ts';
import { eventId, seqOf } from './ids.ts';
import { openEvent } from './rows.ts';
import { first, prepare, type Unit } from './unit.ts';

const columns = ['device_id', 'seq', 'at', 'kind', 'data'] as const;

const notOfDevice = (): Error => invalidRequest('after must be the id of an event of this device');

export const eventStore = ({ sql, seal, database }: Context): EventStore => {
  const after = prepare((p: { deviceId: number; seq: number; limit: number }) =>
    sql
      .selectFrom('events')
      .select(columns)
      .where('device_id', '=', p.deviceId)
      .where('seq', '>', p.seq)
      .orderBy('seq')
      .limit(p.limit),
  );
  const newest = prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('event_seq').where('id', '=', p.deviceId),
  );
  function* isAhead(deviceId: number, seq: number): Unit<boolean> {
    const device = yield* newest.first({ deviceId });
    return device !== undefined && seq > device.event_seq;
  }
  return {
    find: async (deviceId, id) => {
      const seq = seqOf('evt', deviceId, id);
      if (seq === null) return null;
      const query = sql.selectFrom('events').select(columns).where('device_id', '=', deviceId).where('seq', '=', seq);
      const row = await database.read(() => first(query));
      return row === undefined ? null : openEvent(seal, row).event;
    },
    listAfter: async (deviceId, id, limit) => {
      const seq = id === null ? 0 : seqOf('evt', deviceId, id);
      if (seq === null) throw notOfDevice();
      const rows = await database.read(function* () {
        const found = yield* after.all({ deviceId, seq, limit });
        // Of a log that was put back from a backup, say: whoever went on from there would miss all until its number comes again.
        if (found.length === 0 && seq > 0 && (yield* isAhead(deviceId, seq))) throw notOfDevice();
        return found;
      });
      return rows.map((row) => openEvent(seal, row).event);
    },
    newestOf: async (deviceId, kinds) => {
      const query = sql
        .selectFrom('events')
        .select(columns)
        .where('device_id', '=', deviceId)
        .where('kind', 'in', [...kinds])
        .orderBy('seq', 'desc')
        .limit(1);
      const row = await database.read(() => first(query));
      return row === undefined ? null : openEvent(seal, row).event.event;
    },
    latestId: async (deviceId) => {
      const query = sql
        .selectFrom('events')
        .select('seq')
        .where('device_id', '=', deviceId)
        .orderBy('seq', 'desc')
        .limit(1);
      const row = await database.read(() => first(query));
      return eventId(deviceId, row?.seq ?? 0);
    },
  };
};
