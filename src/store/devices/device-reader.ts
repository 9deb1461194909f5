/** Devices as they are read: what is known of them here is not read again. */
import type { DeviceRecord } from '../../domain/device.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { decodeCursor, pageOf } from '../events/cursor.ts';
import { type DeviceRow, deviceColumns, makeOpener } from './device-rows.ts';
import { type Unit, all, prepare } from '../unit.ts';

/** So many unknown ones are read one by one. */
const few = 32;

type ListParams = { readonly userId: number | null; readonly after: number; readonly limit: number };

const listQueries = ({ sql }: Context, ofUser: boolean) => {
  const page = (p: ListParams) =>
    sql
      .selectFrom('devices')
      .where('deleted', '=', 0)
      .$if(ofUser, (query) => query.where('user_id', '=', p.userId))
      .where('id', '>', p.after)
      .orderBy('id')
      .limit(p.limit);
  return {
    rows: prepare((p: ListParams) => page(p).select(deviceColumns)),
    ids: prepare((p: ListParams) => page(p).select('id')),
  };
};

export const deviceReader = (context: Context): Pick<DeviceStore, 'find' | 'findMany' | 'list'> => {
  const { sql, seal, database, known } = context;
  const one = prepare((p: { id: number }) =>
    sql.selectFrom('devices').select(deviceColumns).where('id', '=', p.id).where('deleted', '=', 0),
  );
  const ofAll = listQueries(context, false);
  const ofUser = listQueries(context, true);
  const open = makeOpener(seal);
  const opened = (row: DeviceRow): DeviceRecord => {
    const record = open(row);
    known?.keepRecord(record);
    return record;
  };

  function* find(id: number): Unit<DeviceRecord | null> {
    const before = known?.record(id);
    if (before !== undefined) return before;
    const row = yield* one.first({ id });
    return row === undefined ? null : opened(row);
  }

  function* list(params: ListParams): Unit<DeviceRecord[]> {
    const { rows, ids } = params.userId === null ? ofAll : ofUser;
    if (known === null) return (yield* rows.all(params)).map(opened);
    const records: DeviceRecord[] = [];
    let unknown = 0;
    for (const { id } of yield* ids.all(params)) {
      const before = known.record(id);
      if (before === undefined) unknown += 1;
      // Where much is unknown, one query reads them all.
      if (unknown > few) return (yield* rows.all(params)).map(opened);
      const record = before ?? (yield* find(id));
      if (record !== null) records.push(record);
    }
    return records;
  }

  return {
    find: (id) => database.read(() => find(id)),
    findMany: async (ids) => {
      if (ids.length === 0) return [];
      const query = sql.selectFrom('devices').select(deviceColumns).where('deleted', '=', 0);
      return (await database.read(() => all(query.where('id', 'in', ids)))).map(opened);
    },
    list: async (userId, { limit, cursor }) => {
      const after = cursor === null ? 0 : decodeCursor('devices', 1, cursor)[0]!;
      const records = await database.read(() => list({ userId, after, limit: limit + 1 }));
      return pageOf('devices', records, limit, { item: (record) => record, key: ({ id }) => [id] });
    },
  };
};
