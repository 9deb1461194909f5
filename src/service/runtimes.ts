/** The devices that live in this process, at most one runtime each. */
import type { DeviceRecord } from '../domain/device.ts';
import { type Life, lifeOf } from '../domain/session-life.ts';
import { DeviceRuntime, type RuntimeParts } from './device-runtime.ts';

export class Runtimes {
  readonly #parts: RuntimeParts;
  readonly #byId = new Map<number, DeviceRuntime>();
  #stopped = false;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  /** The device's runtime; a new one brings a linked, active device back at once. */
  of(record: DeviceRecord): DeviceRuntime {
    const known = this.#byId.get(record.id);
    if (known !== undefined && !known.disposed) return known;
    const runtime = new DeviceRuntime(record, this.#parts);
    this.#byId.set(record.id, runtime);
    runtime.happen({ kind: this.#stopped ? 'shutdown' : 'restore' });
    return runtime;
  }

  /** What the device's session is doing, without making one. */
  lifeOf(record: DeviceRecord): Life {
    return this.#byId.get(record.id)?.life ?? lifeOf(record, this.#parts.clock.now());
  }

  find(deviceId: number): DeviceRuntime | null {
    return this.#byId.get(deviceId) ?? null;
  }

  all(): readonly DeviceRuntime[] {
    return [...this.#byId.values()];
  }

  /** Ends the runtime and forgets the device. */
  async remove(runtime: DeviceRuntime): Promise<void> {
    await runtime.dispose();
    if (this.#byId.get(runtime.id) === runtime) this.#byId.delete(runtime.id);
  }

  /** Closes every session without logout; none is made afterwards. Resolves when all is written. */
  async shutdown(): Promise<void> {
    this.#stopped = true;
    const all = this.all();
    for (const runtime of all) runtime.happen({ kind: 'shutdown' });
    await Promise.all(all.flatMap((runtime) => [runtime.connection.end(), runtime.ledger.settled()]));
  }
}
