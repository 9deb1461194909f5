/** Remembers for a few seconds whose a key is, so that a busy client does not cost a look-up a request. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import type { ApiKey, User } from '../../domain/user.ts';

export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

/** Short: another process may revoke a key, and then the count of requests says so (`store/rates.ts`). In this one it stops at once, by `forget…`. */
const ttl = 5_000;
const max = 10_000;

export class KeyCache {
  readonly #clock: Clock;
  readonly #entries: LRUCache<string, Identity>;
  #generation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#entries = new LRUCache({ max, ttl, ttlResolution: 0, perf: clock });
  }

  /** Changes with every `forget…`: a look-up that began before must not be remembered after. */
  get generation(): number {
    return this.#generation;
  }

  get(hash: string): Identity | null {
    const identity = this.#entries.get(hash);
    if (identity === undefined) return null;
    const { expiresAt } = identity.key;
    return expiresAt === null || this.#clock.now() < expiresAt ? identity : null;
  }

  put(hash: string, identity: Identity, generation: number): void {
    if (generation === this.#generation) this.#entries.set(hash, identity);
  }

  forgetKey(keyId: number): void {
    this.#forget((identity) => identity.key.id === keyId);
  }

  forgetUser(userId: number): void {
    this.#forget((identity) => identity.user.id === userId);
  }

  #forget(which: (identity: Identity) => boolean): void {
    this.#generation += 1;
    for (const [hash, identity] of this.#entries) if (which(identity)) this.#entries.delete(hash);
  }
}
