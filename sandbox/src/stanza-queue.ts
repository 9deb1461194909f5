/** What waits for a device until the device has acked it: in its order, and found by what an ack says. */
import type { BinaryNode } from 'baileys';

/** An ack names class and id of a stanza, and up to three words that tell it from others with that id. */
export class WaitingStanza {
  readonly kind: string;
  readonly id: string;
  readonly first: string;
  readonly second: string;
  readonly third: string;
  node: BinaryNode;
  /** At least once before. */
  delivered = false;
  /** Deliveries so far, counted for status posts alone. */
  deliveries = 0;
  before: WaitingStanza | null = null;
  after: WaitingStanza | null = null;
  /** The next one with this id, while there is an index. */
  namesake: WaitingStanza | null = null;

  constructor(kind: string, id: string, first: string, second: string, third: string, node: BinaryNode) {
    this.kind = kind;
    this.id = id;
    this.first = first;
    this.second = second;
    this.third = third;
    this.node = node;
  }

  is(kind: string, id: string, first: string, second: string, third: string): boolean {
    return (
      this.id === id && this.kind === kind && this.first === first && this.second === second && this.third === third
    );
  }
}

/** So many are looked through; more are found by an index. Mostly a few wait, and keys of an index cost more than they do. */
const FEW = 16;

export class StanzaQueue {
  #oldest: WaitingStanza | null = null;
  #newest: WaitingStanza | null = null;
  #size = 0;
  #index: Map<string, WaitingStanza> | null = null;

  get size(): number {
    return this.#size;
  }

  /** The newest; or in its old place, where one with this key waits already. */
  put(kind: string, id: string, first: string, second: string, third: string, node: BinaryNode): WaitingStanza {
    const known = this.#find(kind, id, first, second, third);
    if (known !== null) {
      known.node = node;
      known.delivered = false;
      return known;
    }
    const fresh = new WaitingStanza(kind, id, first, second, third, node);
    fresh.before = this.#newest;
    if (this.#newest === null) this.#oldest = fresh;
    else this.#newest.after = fresh;
    this.#newest = fresh;
    this.#size += 1;
    if (this.#index !== null) this.#enter(fresh);
    else if (this.#size > FEW) {
      this.#index = new Map();
      for (const each of this) this.#enter(each);
    }
    return fresh;
  }

  /** False where there is none. */
  remove(kind: string, id: string, first: string, second: string, third: string): boolean {
    const found = this.#find(kind, id, first, second, third);
    if (found === null) return false;
    const { before, after } = found;
    if (before === null) this.#oldest = after;
    else before.after = after;
    if (after === null) this.#newest = before;
    else after.before = before;
    this.#size -= 1;
    if (this.#size === 0) this.#index = null;
    else if (this.#index !== null) this.#leave(found, this.#index);
    return true;
  }

  clear(): void {
    this.#oldest = this.#newest = this.#index = null;
    this.#size = 0;
  }

  *[Symbol.iterator](): Generator<WaitingStanza> {
    for (let each = this.#oldest; each !== null; each = each.after) yield each;
  }

  #find(kind: string, id: string, first: string, second: string, third: string): WaitingStanza | null {
    const indexed = this.#index !== null;
    let each = this.#index === null ? this.#oldest : (this.#index.get(id) ?? null);
    while (each !== null && !each.is(kind, id, first, second, third)) each = indexed ? each.namesake : each.after;
    return each;
  }

  #enter(fresh: WaitingStanza): void {
    fresh.namesake = this.#index?.get(fresh.id) ?? null;
    this.#index?.set(fresh.id, fresh);
  }

  #leave(gone: WaitingStanza, index: Map<string, WaitingStanza>): void {
    let each = index.get(gone.id) ?? null;
    if (each === gone) {
      if (gone.namesake === null) index.delete(gone.id);
      else index.set(gone.id, gone.namesake);
      return;
    }
    while (each !== null && each.namesake !== gone) each = each.namesake;
    if (each !== null) each.namesake = gone.namesake;
  }
}
