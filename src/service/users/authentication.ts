/** API keys: how they are made, stored and found (docs/spec/users.md, API keys). */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { ApiKey, User, UserStore } from '../../domain/user.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

const keyRule = /^hs_[A-Za-z0-9_-]{43}$/;

/** `hs_` and 43 characters of base64url: 32 random bytes. */
export const newSecret = (): string => `hs_${randomBytes(32).toString('base64url')}`;

/** Keys are random, so a plain hash is enough, and looking it up leaks no timing. */
export const hashOf = (secret: string): Uint8Array => hash('sha256', secret, 'buffer');

/** If another process revokes the key meanwhile, the shared rate limit reports it. */
const ttl = 5_000;
const max = 10_000;
/** How often the last use of keys is written. */
const flushMs = 5_000;

interface Parts {
  readonly users: UserStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Authentication {
  readonly #parts: Parts;
  readonly #identities: LRUCache<string, Identity>;
  /** Counts calls of `forget`: a look-up that began before one must not be cached. */
  #generation = 0;
  #used = new Map<number, number>();
  #timer: Timer | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#identities = new LRUCache({ max, ttl, ttlResolution: 0, perf: parts.clock });
  }

  async authenticate(key: string): Promise<Identity | null> {
    if (!keyRule.test(key)) return null;
    const known = this.recall(key);
    if (known !== null) return known;
    const generation = this.#generation;
    const identity = await this.#find(key);
    if (identity === null) return null;
    if (generation === this.#generation) this.#identities.set(hash('sha256', key, 'base64'), identity);
    this.#noteUse(identity);
    return identity;
  }

  /** From the cache; null if the key is not in it. */
  readonly recall = (key: string): Identity | null => {
    const identity = this.#identities.get(hash('sha256', key, 'base64'));
    if (identity === undefined) return null;
    const { expiresAt } = identity.key;
    if (expiresAt !== null && expiresAt <= this.#parts.clock.now()) return null;
    this.#noteUse(identity);
    return identity;
  };

  async isValid(key: string): Promise<boolean> {
    return (await this.#find(key)) !== null;
  }

  /** Call after a change of a user or key. */
  forget(which: (identity: Identity) => boolean): void {
    this.#generation += 1;
    for (const [name, identity] of this.#identities) if (which(identity)) this.#identities.delete(name);
  }

  /** A failure loses only the times: the next use notes it again. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    try {
      await this.#parts.users.touchKeys(used);
    } catch (error) {
      this.#parts.log.warn({ reason: messageOf(error) }, 'could not write when keys were last used');
    }
  }

  #find(key: string): Promise<Identity | null> {
    return this.#parts.users.findByKeyHash(hashOf(key), this.#parts.clock.now());
  }

  #noteUse({ key }: Identity): void {
    const { clock } = this.#parts;
    this.#used.set(key.id, clock.now());
    this.#timer ??= clock.after(flushMs, () => void this.flush());
  }
}
