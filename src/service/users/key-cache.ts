/** Remembers for a few seconds whose a key is, so that a busy client does not cost a look-up a request. */
import type { Clock } from '../../domain/clock.ts';
import type { ApiKey, User } from '../../domain/user.ts';

export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

/** Short: another process may revoke a key, and then the count of requests says so (`store/rates.ts`). In this one it stops at once, by `forget…`. */
const freshMs = 5_000;
const capacity = 10_000;

export class KeyCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly identity: Identity; readonly until: number }>();
  #generation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Changes with every `forget…`: a look-up that began before must not be remembered after. */
  get generation(): number {
    return this.#generation;
  }

  get(hash: string): Identity | null {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return null;
    const now = this.#clock.now();
    const { expiresAt } = entry.identity.key;
    if (now < entry.until && (expiresAt === null || now < expiresAt)) return entry.identity;
    this.#entries.delete(hash);
    return null;
  }

  put(hash: string, identity: Identity, generation: number): void {
    if (generation !== this.#generation) return;
    if (this.#entries.size >= capacity) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    this.#entries.set(hash, { identity, until: this.#clock.now() + freshMs });
  }

  forgetKey(keyId: number): void {
    this.#forget((identity) => identity.key.id === keyId);
  }

  forgetUser(userId: number): void {
    this.#forget((identity) => identity.user.id === userId);
  }

  #forget(which: (identity: Identity) => boolean): void {
    this.#generation += 1;
    for (const [hash, { identity }] of this.#entries) if (which(identity)) this.#entries.delete(hash);
  }
}
