/** The event log of each device. */
import type { EventStore } from '../../domain/stores.ts';
import { invalidRequest } from '../../errors.ts';
import type { Context } from '../context.ts';
import { eventId, seqOf } from './ids.ts';
import { openEvent } from '../sealing/rows.ts';
import { all, first, prepare, type Unit } from '../unit.ts';

const columns = ['device_id', 'seq', 'at', 'kind', 'data'] as const;

const notOfDevice = (member = 'after'): Error => invalidRequest(`${member} must be the id of an event of this device`);

const lossFinder = (sql: Context['sql']) => {
  const device = prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('pruned_seq').where('id', '=', p.deviceId),
  );
  const exact = prepare((p: { deviceId: number; seq: number }) =>
    sql.selectFrom('events').select('seq').where('device_id', '=', p.deviceId).where('seq', '=', p.seq),
  );
  /** Whether the event is missing for another reason than retention: it is ahead of the log, or the log has lost it. */
  return function* isLost(deviceId: number, seq: number): Unit<boolean> {
    const pruned = (yield* device.first({ deviceId }))?.pruned_seq;
    if (pruned === undefined || seq <= pruned) return false;
    return (yield* exact.first({ deviceId, seq })) === undefined;
  };
};

const listBefore =
  ({ sql, sealer, database }: Context): EventStore['listBefore'] =>
  async (deviceId, id, limit, kinds) => {
    const seq = id === null ? Number.MAX_SAFE_INTEGER : seqOf('evt', deviceId, id);
    if (seq === null) throw notOfDevice('before');
    const query = sql
      .selectFrom('events')
      .select(columns)
      .where('device_id', '=', deviceId)
      .where('seq', '<', seq)
      .where('kind', 'in', [...kinds])
      .orderBy('seq', 'desc')
      .limit(limit);
    const rows = await database.read(() => all(query));
    return rows.map((row) => openEvent(sealer, row).event);
  };

export const eventStore = (context: Context): EventStore => {
  const { sql, sealer, database } = context;
  const afterSeq = (p: { deviceId: number; seq: number; limit: number }) =>
    sql
      .selectFrom('events')
      .select(columns)
      .where('device_id', '=', p.deviceId)
      .where('seq', '>', p.seq)
      .orderBy('seq')
      .limit(p.limit);
  const after = prepare(afterSeq);
  const isLost = lossFinder(sql);
  return {
    find: async (deviceId, id) => {
      const seq = seqOf('evt', deviceId, id);
      if (seq === null) return null;
      const query = sql.selectFrom('events').select(columns).where('device_id', '=', deviceId).where('seq', '=', seq);
      const row = await database.read(() => first(query));
      return row === undefined ? null : openEvent(sealer, row).event;
    },
    listAfter: async (deviceId, id, limit, kinds) => {
      const seq = id === null ? 0 : seqOf('evt', deviceId, id);
      if (seq === null) throw notOfDevice();
      const asked = { deviceId, seq, limit };
      const rows = await database.read(() =>
        kinds === undefined ? after.all(asked) : all(afterSeq(asked).where('kind', 'in', [...kinds])),
      );
      return rows.map((row) => openEvent(sealer, row).event);
    },
    listBefore: listBefore(context),
    assertPosition: async (deviceId, id, member) => {
      const seq = seqOf('evt', deviceId, id);
      if (seq === null || (await database.read(() => isLost(deviceId, seq)))) throw notOfDevice(member);
    },
    latestId: async (deviceId) => {
      const last = sql
        .selectFrom('events')
        .select('seq')
        .where('device_id', '=', deviceId)
        .orderBy('seq', 'desc')
        .limit(1);
      const row = await database.read(() => first(last));
      return eventId(deviceId, row?.seq ?? 0);
    },
  };
};
