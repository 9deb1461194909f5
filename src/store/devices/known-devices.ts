/**
 * Devices as the database has them. Whoever writes what is kept here of one forgets it in the same unit of work, and what is read
 * within a transaction that fails is forgotten with it. For a database that one process has alone.
 */
import type { WebhookTarget } from '../../domain/delivery.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { EventKind } from '../../domain/event.ts';

/** What the log needs of its device. */
export interface DeviceLog {
  readonly userId: number;
  /** The events that are posted. */
  readonly kinds: readonly EventKind[];
  /** The number of the newest event. */
  last: number;
}

/** Devices kept, of some hundred bytes each. */
const most = 5_000;

const keep = <V>(all: Map<number, V>, id: number, value: V): void => {
  if (all.size >= most && !all.has(id)) all.clear();
  all.set(id, value);
};

export class KnownDevices {
  readonly #records = new Map<number, DeviceRecord>();
  readonly #logs = new Map<number, DeviceLog>();
  readonly #targets = new Map<number, WebhookTarget>();

  record(id: number): DeviceRecord | undefined {
    return this.#records.get(id);
  }

  /** In the turn in which it was read. */
  keepRecord(record: DeviceRecord): void {
    keep(this.#records, record.id, record);
  }

  log(id: number): DeviceLog | undefined {
    return this.#logs.get(id);
  }

  keepLog(id: number, log: DeviceLog): void {
    keep(this.#logs, id, log);
  }

  target(id: number): WebhookTarget | undefined {
    return this.#targets.get(id);
  }

  keepTarget(target: WebhookTarget): void {
    keep(this.#targets, target.deviceId, target);
  }

  /** What changed is neither what the log needs nor what posts need. */
  forgetRecord(id: number): void {
    this.#records.delete(id);
  }

  forget(id: number): void {
    this.#records.delete(id);
    this.#logs.delete(id);
    this.#targets.delete(id);
  }

  /** After a rollback. */
  forgetAll(): void {
    this.#records.clear();
    this.#logs.clear();
    this.#targets.clear();
  }
}
