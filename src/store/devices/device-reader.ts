/** Reads devices: one, some, a page, and the owner of one. */
import type { DeviceStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { decodeCursor, pageOf } from '../base/cursor.ts';
import { devicesIn, recordOf } from '../webhooks/device-rows.ts';
import { all, prepare } from '../base/unit.ts';

export const deviceReader = (context: Context): Pick<DeviceStore, 'find' | 'findMany' | 'list' | 'ownerOf'> => {
  const { sql, sealer, database } = context;
  const byId = prepare((p: { id: number }) => devicesIn(sql).where('v.id', '=', p.id));
  const owner = prepare((p: { id: number }) =>
    sql.selectFrom('devices').select('user_id').where('deleted', '=', 0).where('id', '=', p.id),
  );
  return {
    find: async (id) => {
      const row = await database.read(() => byId.first({ id }));
      return row === undefined ? null : recordOf(sealer, row);
    },
    findMany: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await database.read(() => all(devicesIn(sql).where('v.id', 'in', ids)));
      return rows.map((row) => recordOf(sealer, row));
    },
    ownerOf: async (id) => (await database.read(() => owner.first({ id })))?.user_id ?? null,
    list: async (userId, { limit, cursor }) => {
      const after = cursor === null ? 0 : decodeCursor('devices', 1, cursor)[0]!;
      let query = devicesIn(sql).where('v.id', '>', after);
      if (userId !== null) query = query.where('v.user_id', '=', userId);
      const rows = await database.read(() => all(query.orderBy('v.id').limit(limit + 1)));
      return pageOf('devices', rows, limit, { item: (row) => recordOf(sealer, row), key: ({ id }) => [id] });
    },
  };
};
