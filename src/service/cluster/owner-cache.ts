/** Short-lived cache of the nodes that own devices. */
import type { Clock } from '../../domain/clock.ts';

/** Here, or the address of the node that has the device. */
export type Place = { readonly here: true } | { readonly here: false; readonly url: string };

/** How long the address of an owner is remembered: one that has moved says so. */
const placeMs = 5_000;
const most = 100_000;

export class KnownPlaces {
  readonly #clock: Clock;
  readonly #places = new Map<number, { readonly url: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(deviceId: number): Place | null {
    const known = this.#places.get(deviceId);
    return known !== undefined && known.until > this.#clock.now() ? { here: false, url: known.url } : null;
  }

  remember(deviceId: number, url: string): Place {
    if (this.#places.size > most) this.#places.clear();
    this.#places.set(deviceId, { url, until: this.#clock.now() + placeMs });
    return { here: false, url };
  }

  forget(deviceId: number): void {
    this.#places.delete(deviceId);
  }
}
