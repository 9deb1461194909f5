/** The unit of work of one Signal operation: what it read, what it changed, and the locks that it holds. */
import type { KeyChange } from '../../domain/changes.ts';
import type { Locks } from './locks.ts';

export type KeyReader = (type: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;

/**
 * Reads go through the unit's own overlay to the store; writes stay in the unit until its owner commits `changes()`.
 * A unit that is dropped leaves nothing behind.
 */
export class Unit {
  readonly #read: KeyReader;
  readonly #locks: Locks;
  readonly #values = new Map<string, Uint8Array | null>();
  readonly #changes = new Map<string, KeyChange>();
  readonly #releases: (() => void)[] = [];

  constructor(read: KeyReader, locks: Locks) {
    this.#read = read;
    this.#locks = locks;
  }

  /** Takes locks that are kept until `release`. */
  async hold(names: readonly string[]): Promise<void> {
    this.#releases.push(await this.#locks.acquire(names));
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  /** Brings values into the overlay; what is there already stays. */
  async load(type: string, ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => !this.#values.has(`${type}:${id}`));
    if (missing.length === 0) return;
    const found = await this.#read(type, missing);
    for (const id of missing) this.#values.set(`${type}:${id}`, found.get(id) ?? null);
  }

  /** A value that was loaded or put before; null when there is none. */
  get(type: string, id: string): Uint8Array | null {
    const value = this.#values.get(`${type}:${id}`);
    if (value === undefined) throw new Error(`The unit of work has not loaded this ${type}`);
    return value;
  }

  /** Changes a value; null deletes it. */
  put(type: string, id: string, value: Uint8Array | null): void {
    const name = `${type}:${id}`;
    this.#values.set(name, value);
    this.#changes.set(name, { type, id, value });
  }

  isChanged(type: string, id: string): boolean {
    return this.#changes.has(`${type}:${id}`);
  }

  /** What was changed is not to be kept. */
  leave(type: string, id: string): void {
    this.#changes.delete(`${type}:${id}`);
  }

  changes(): readonly KeyChange[] {
    return [...this.#changes.values()];
  }
}
