/** Whose a device is: asked with every request, and never another's until the device is gone. */
import type { DeviceStore } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { prepare } from '../unit.ts';

/** Devices whose owners are remembered. */
const most = 10_000;

export type Owners = Pick<DeviceStore, 'ownerOf' | 'delete'>;

/** Remembered where nobody else can delete a device: `remove` forgets it in the moment of its commit. */
export const makeOwners = (
  { sql, database }: Context,
  remove: (onGone: () => void, ...call: Parameters<DeviceStore['delete']>) => Promise<void>,
): Owners => {
  const known = new Map<number, number>();
  const query = prepare((p: { id: number }) =>
    sql.selectFrom('devices').select('user_id').where('id', '=', p.id).where('deleted', '=', 0),
  );
  return {
    async ownerOf(id) {
      const owner = known.get(id);
      if (owner !== undefined) return owner;
      const row = await database.read(() => query.first({ id }));
      if (row === undefined) return null;
      // Between this read and here no transaction has run: those begin in a turn of their own.
      if (!database.shared && known.size < most) known.set(id, row.user_id);
      return row.user_id;
    },
    delete: (id, by) => remove(() => known.delete(id), id, by),
  };
};
