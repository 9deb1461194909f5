/**
 * One-time prekeys, oldest first: the public ones that wait to be handed out, or the private ones of their owner. Packed: a
 * device has hundreds, and there are many devices.
 */

const KEY_BYTES = 32;
const EMPTY = new Uint8Array(0);

export class PreKeys {
  #ids = new Uint32Array(0);
  #keys: Uint8Array = EMPTY;
  /** Those before it have been handed out. */
  #first = 0;
  #end = 0;

  /** In their order; keys of 32 bytes. */
  constructor(keys: Iterable<readonly [number, Uint8Array]> = []) {
    const list = [...keys];
    if (list.length > 0) this.#reserve(list.length);
    for (const [id, key] of list) this.set(id, key);
  }

  get size(): number {
    return this.#end - this.#first;
  }

  has(id: number): boolean {
    return this.#find(id) >= 0;
  }

  /** A copy of the key; null where there is none. */
  get(id: number): Uint8Array | null {
    const at = this.#find(id);
    return at < 0 ? null : this.#at(at)[1];
  }

  set(id: number, key: Uint8Array): void {
    if (key.length !== KEY_BYTES) throw new Error(`a prekey has ${KEY_BYTES} bytes`);
    const known = this.#find(id);
    const at = known < 0 ? this.#end : known;
    if (at === this.#ids.length) {
      this.#reserve(Math.max(8, Math.ceil(this.size / 2)));
      this.set(id, key);
      return;
    }
    this.#ids[at] = id;
    this.#keys.set(key, at * KEY_BYTES);
    if (known < 0) this.#end += 1;
  }

  /** The oldest, which is gone then. */
  take(): readonly [number, Uint8Array] | null {
    if (this.size === 0) return null;
    const taken = this.#at(this.#first);
    this.#first += 1;
    return taken;
  }

  delete(id: number): void {
    const at = this.#find(id);
    if (at < 0) return;
    this.#ids.copyWithin(at, at + 1, this.#end);
    this.#keys.copyWithin(at * KEY_BYTES, (at + 1) * KEY_BYTES, this.#end * KEY_BYTES);
    this.#end -= 1;
  }

  *keys(): Generator<number> {
    for (const [id] of this) yield id;
  }

  *values(): Generator<Uint8Array> {
    for (const [, key] of this) yield key;
  }

  *[Symbol.iterator](): Generator<readonly [number, Uint8Array]> {
    for (let at = this.#first; at < this.#end; at += 1) yield this.#at(at);
  }

  /** A copy of the key, since its place may be used again. */
  #at(at: number): readonly [number, Uint8Array] {
    return [this.#ids[at] ?? 0, this.#keys.slice(at * KEY_BYTES, (at + 1) * KEY_BYTES)];
  }

  #find(id: number): number {
    return this.#ids.subarray(0, this.#end).indexOf(id, this.#first);
  }

  /** Makes room for so many more, and forgets those that were handed out. */
  #reserve(more: number): void {
    const ids = new Uint32Array(this.size + more);
    const keys = new Uint8Array(ids.length * KEY_BYTES);
    ids.set(this.#ids.subarray(this.#first, this.#end));
    keys.set(this.#keys.subarray(this.#first * KEY_BYTES, this.#end * KEY_BYTES));
    [this.#ids, this.#keys, this.#end, this.#first] = [ids, keys, this.size, 0];
  }
}
