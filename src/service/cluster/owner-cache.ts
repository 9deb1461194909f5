/** Short-lived cache of device owners. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';

export type Owner = { readonly here: true } | { readonly here: false; readonly url: string };

/** A node that has given a device away answers so, and is asked again. */
const ttl = 5_000;
const max = 20_000;

export class OwnerCache {
  readonly #owners: LRUCache<number, Owner>;

  constructor(clock: Clock) {
    this.#owners = new LRUCache({ max, ttl, ttlResolution: 0, perf: clock });
  }

  find(deviceId: number): Owner | undefined {
    return this.#owners.get(deviceId);
  }

  remember(deviceId: number, url: string): Owner {
    const owner = { here: false, url } as const;
    this.#owners.set(deviceId, owner);
    return owner;
  }

  forget(deviceId: number): void {
    this.#owners.delete(deviceId);
  }
}
