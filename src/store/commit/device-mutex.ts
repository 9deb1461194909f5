/**
 * Runs one write of a device's log at a time. On a shared database two of them would only wait for each other's locks, and be
 * published out of order.
 */
import { Mutex } from 'async-mutex';

export class DeviceMutex {
  readonly #byDevice = new Map<number, Mutex>();

  async run<T>(deviceId: number, write: () => Promise<T>): Promise<T> {
    const mutex = this.#byDevice.get(deviceId) ?? new Mutex();
    this.#byDevice.set(deviceId, mutex);
    try {
      return await mutex.runExclusive(write);
    } finally {
      if (!mutex.isLocked()) this.#byDevice.delete(deviceId);
    }
  }
}
