/** Keeps a node that has lost a device from writing its state: the lease is checked, and held, in the writing transaction. */
import { LeaseLost } from '../../domain/lease.ts';
import type { Context } from '../base/context.ts';
import { type Unit, prepare } from '../base/unit.ts';

/** `strict`: what is written is authentication state, which nobody may write without a lease. */
export type Fence = (deviceId: number, epoch: number | null, strict: boolean) => Unit<void>;

/** The lease's row is locked until the commit, so nobody can take the device between the check and the write. */
export const makeFence = ({ sql }: Pick<Context, 'sql'>): Fence => {
  const lease = prepare((p: { deviceId: number; epoch: number }) =>
    sql
      .selectFrom('leases')
      .select('device_id')
      .where('device_id', '=', p.deviceId)
      .where('epoch', '=', p.epoch)
      .forShare(),
  );
  return function* fence(deviceId, epoch, strict) {
    if (epoch === null) {
      if (strict) throw new Error(`The authentication state of device ${deviceId} was written without a lease`);
      return;
    }
    if ((yield* lease.first({ deviceId, epoch })) === undefined) throw new LeaseLost(deviceId);
  };
};
