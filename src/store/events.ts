/** The event log of each device. */
import type { EventStore } from '../domain/stores.ts';
import { invalidRequest } from '../errors.ts';
import type { Context } from './context.ts';
import { eventId, seqOf } from './ids.ts';
import { openEvent } from './rows.ts';
import { first, prepare } from './unit.ts';

const columns = ['device_id', 'seq', 'at', 'kind', 'data'] as const;

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
      if (seq === null) throw invalidRequest('after must be the id of an event of this device');
      const rows = await database.read(() => after.all({ deviceId, seq, limit }));
      return rows.map((row) => openEvent(seal, row).event);
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
