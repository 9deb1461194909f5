/** Ids of messages in the network's form, and which of them nobody has tried to send yet. */
import { randomBytes } from 'node:crypto';
import { boundedCache } from '../engine/bounded-cache.ts';

export class MessageIds {
  readonly #untried = boundedCache<true>(10_000);

  /** As the network's own apps for the web make them. `elsewhere`: another process may be the first that sends under it. */
  make(elsewhere = false): string {
    const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
    if (!elsewhere) this.add(id);
    return id;
  }

  /** One that was made elsewhere and is to be sent here first. */
  add(id: string): void {
    this.#untried.set(id, true);
  }

  /** Whether no store can know it; true once. */
  isNew(id: string): boolean {
    const known = this.#untried.get(id) === true;
    this.#untried.delete(id);
    return known;
  }
}
