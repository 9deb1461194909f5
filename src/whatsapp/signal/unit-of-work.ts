/** The unit of work of one Signal operation: the values that it read and changed, and the locks that it holds. */
import type { KeyChange } from '../../domain/changes.ts';
import type { Locks } from './locks.ts';

export type KeyReader = (type: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;

/**
 * Reads go through the unit's own overlay to the store; writes stay in the unit until its owner commits `changes()`.
 * A unit that is dropped leaves nothing behind.
 */
export class UnitOfWork {
  readonly #read: KeyReader;
  readonly #locks: Locks;
  /** By their type, and by their id. */
  readonly #values = new Map<string, Map<string, Uint8Array | null>>();
  readonly #changes = new Map<string, Map<string, Uint8Array | null>>();
  readonly #releases: (() => void)[] = [];
  readonly #held = new Set<string>();

  constructor(read: KeyReader, locks: Locks) {
    this.#read = read;
    this.#locks = locks;
  }

  /** Takes locks that are kept until `release`; those that it has already are not waited for. */
  async hold(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.#held.has(name));
    if (missing.length === 0) return;
    this.#releases.push(await this.#locks.acquire(missing));
    for (const name of missing) this.#held.add(name);
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  /** Brings values into the overlay; what is there already stays. */
  async load(type: string, ids: readonly string[]): Promise<void> {
    const values = ofType(this.#values, type);
    const missing = ids.filter((id) => !values.has(id));
    if (missing.length === 0) return;
    const found = await this.#read(type, missing);
    for (const id of missing) values.set(id, found.get(id) ?? null);
  }

  /** A value that was loaded or put before; null when there is none. */
  get(type: string, id: string): Uint8Array | null {
    const value = this.#values.get(type)?.get(id);
    if (value === undefined) throw new Error(`The unit of work has not loaded this ${type}`);
    return value;
  }

  /** Changes a value; null deletes it. */
  put(type: string, id: string, value: Uint8Array | null): void {
    ofType(this.#values, type).set(id, value);
    ofType(this.#changes, type).set(id, value);
  }

  changes(): readonly KeyChange[] {
    return [...this.#changes].flatMap(([type, values]) => [...values].map(([id, value]) => ({ type, id, value })));
  }
}

const ofType = <T>(maps: Map<string, Map<string, T>>, type: string): Map<string, T> => {
  const known = maps.get(type);
  if (known !== undefined) return known;
  const made = new Map<string, T>();
  maps.set(type, made);
  return made;
};
