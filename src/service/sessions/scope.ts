/** A device whose owner is verified. Nothing below checks the owner again. */
import type { Actor } from '../../domain/audit.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import { deviceNotFound } from '../../errors.ts';
import type { DeviceRuntime } from './device-runtime.ts';
import type { Runtimes } from './runtimes.ts';

interface Parts {
  readonly stores: { readonly devices: Pick<DeviceStore, 'find' | 'ownerOf'> };
  readonly runtimes: Runtimes;
}

export class DeviceScope {
  readonly id: number;
  readonly userId: number;
  readonly actor: Actor;
  readonly #parts: Parts;

  constructor(parts: Parts, { id, userId }: Pick<DeviceRecord, 'id' | 'userId'>, actor: Actor) {
    this.#parts = parts;
    this.id = id;
    this.userId = userId;
    this.actor = actor;
  }

  async record(): Promise<DeviceRecord> {
    const record = await this.#parts.stores.devices.find(this.id);
    if (record === null) throw deviceNotFound();
    return record;
  }

  runtime(): Promise<DeviceRuntime> {
    return this.#parts.runtimes.ofId(this.id);
  }

  /** Serialized with other operations on the device; `record` is read when it begins. */
  async operate<T>(operation: (runtime: DeviceRuntime, record: DeviceRecord) => Promise<T>): Promise<T> {
    const runtime = await this.runtime();
    return runtime.work(() => runtime.operations.runExclusive(async () => operation(runtime, await this.record())));
  }
}

export const makeScopes = (parts: Parts) => ({
  of: (device: Pick<DeviceRecord, 'id' | 'userId'>, actor: Actor): DeviceScope => new DeviceScope(parts, device, actor),
  /** Null: the operator, who may reach all. Throws DeviceNotFound, so that nobody learns of others' devices. */
  async prove(userId: number | null, id: number, actor: Actor): Promise<DeviceScope> {
    // A device is deleted only after its runtime.
    const known = parts.runtimes.find(id);
    const owner = known === null || known.disposed ? await parts.stores.devices.ownerOf(id) : known.userId;
    if (owner === null || (userId !== null && owner !== userId)) throw deviceNotFound();
    return new DeviceScope(parts, { id, userId: owner }, actor);
  },
});

export type DeviceScopes = ReturnType<typeof makeScopes>;
