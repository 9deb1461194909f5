/** API keys: made, stored and looked up (docs/spec/users.md, API keys). */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { ApiKey, User, UserStore } from '../../domain/user.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { atMost } from '../../domain/at-most.ts';

export interface Identity {
  readonly user: User;
  readonly key: ApiKey;
}

const keyRule = /^hs_[A-Za-z0-9_-]{43}$/;

export const newSecret = (): string => `hs_${randomBytes(32).toString('base64url')}`;

/** Keys are random, so a plain hash suffices, and looking it up leaks no timing. */
export const hashOf = (secret: string): Uint8Array => hash('sha256', secret, 'buffer');

/** Marks sign-ins; the space cannot be in a header's secret, so a sign-in is never taken for a key. */
export const signInMark = 'session ';

const signInRule = /^session [A-Za-z0-9_-]{43}$/;

export const isSignIn = (secret: string): boolean => secret.startsWith(signInMark);

/** If another process revokes the key meanwhile, the shared rate limit reports it. */
const ttl = 5_000;
const max = 10_000;
const flushMs = 5_000;

interface Parts {
  readonly users: UserStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Authentication {
  readonly #parts: Parts;
  readonly #identities: LRUCache<string, Identity>;
  /** Counts calls of `forget`: a look-up begun before one must not be cached. */
  #generation = 0;
  #used = new Map<number, number>();
  #timer: Timer | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#identities = new LRUCache({ ...atMost(max), ttl, ttlResolution: 0, perf: parts.clock });
  }

  async authenticate(key: string): Promise<Identity | null> {
    if (!(isSignIn(key) ? signInRule : keyRule).test(key)) return null;
    const known = this.recall(key);
    if (known !== null) return known;
    const generation = this.#generation;
    const identity = await this.identify(key);
    if (identity === null) return null;
    if (generation === this.#generation) this.#identities.set(hash('sha256', key, 'base64'), identity);
    this.#noteUse(identity);
    return identity;
  }

  readonly recall = (key: string): Identity | null => {
    const identity = this.#identities.get(hash('sha256', key, 'base64'));
    if (identity === undefined) return null;
    const { expiresAt } = identity.key;
    if (expiresAt !== null && expiresAt <= this.#parts.clock.now()) return null;
    this.#noteUse(identity);
    return identity;
  };

  async isValid(key: string): Promise<boolean> {
    return (await this.identify(key)) !== null;
  }

  identify(key: string): Promise<Identity | null> {
    const { users, clock } = this.#parts;
    return isSignIn(key) ? users.findBySignIn(hashOf(key), clock.now()) : users.findByKeyHash(hashOf(key), clock.now());
  }

  forget(which: (identity: Identity) => boolean): void {
    this.#generation += 1;
    for (const [name, identity] of this.#identities) if (which(identity)) this.#identities.delete(name);
  }

  async signIn({ id: keyId }: ApiKey, lifeMs: number): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const { users, clock } = this.#parts;
    const token = randomBytes(32).toString('base64url');
    const expiresAt = clock.now() + lifeMs;
    await users.createSignIn({ hash: hashOf(signInMark + token), keyId, expiresAt }, clock.now());
    return { token, expiresAt };
  }

  async signOut(secret: string): Promise<void> {
    await this.#parts.users.deleteSignIn(hashOf(secret));
    this.#generation += 1;
    this.#identities.delete(hash('sha256', secret, 'base64'));
  }

  /** Failures are ignored: the next use notes the time again. */
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

  #noteUse({ key }: Identity): void {
    const { clock } = this.#parts;
    this.#used.set(key.id, clock.now());
    this.#timer ??= clock.after(flushMs, () => void this.flush());
  }
}
