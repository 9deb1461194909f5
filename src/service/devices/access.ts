/** Access to a device: its owner's only, and nobody else learns that it exists (docs/spec/http-interface.md, Check order). */
import type { DeviceRecord } from '../../domain/device.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import { deviceNotFound } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { LiveParts } from '../parts.ts';

/** Throws DeviceNotFound for an unknown device and for another user's. */
export const ownedDevice = async (devices: DeviceStore, userId: number, id: number): Promise<DeviceRecord> => {
  const record = await devices.find(id);
  if (record === null || record.userId !== userId) throw deviceNotFound();
  return record;
};

/** Runs an operation when those before it on the same device are done, on the device as it then is. */
export const operate = async <T>(
  { stores, runtimes }: LiveParts,
  userId: number,
  id: number,
  operation: (runtime: DeviceRuntime, record: DeviceRecord) => Promise<T>,
): Promise<T> => {
  const runtime = runtimes.of(await ownedDevice(stores.devices, userId, id));
  return runtime.work(() =>
    runtime.operations.runExclusive(async () => operation(runtime, await ownedDevice(stores.devices, userId, id))),
  );
};
