/**
 * Records of devices as the database has them. Whoever writes what a record tells forgets it in the same unit of work: what is read again
 * after a rollback is the same. For a database that one process has alone.
 */
import type { DeviceRecord } from '../domain/device.ts';

/** Records kept, of some hundred bytes each. */
const most = 5_000;

export class KnownDevices {
  readonly #records = new Map<number, DeviceRecord>();

  find(id: number): DeviceRecord | undefined {
    return this.#records.get(id);
  }

  /** In the turn in which it was read. */
  keep(record: DeviceRecord): void {
    if (this.#records.size >= most && !this.#records.has(record.id)) this.#records.clear();
    this.#records.set(record.id, record);
  }

  forget(id: number): void {
    this.#records.delete(id);
  }
}
