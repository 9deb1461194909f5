/** All endpoints with posts under way or something to remember, and the limits on them together. */
import { Endpoint, type EndpointLimits } from './endpoint.ts';

export class Endpoints {
  readonly #byDevice = new Map<number, Endpoint>();
  readonly #limits: EndpointLimits;
  readonly #most: number;
  readonly #reserve: number;
  #running = 0;

  constructor(limits: EndpointLimits, most: number) {
    this.#limits = limits;
    this.#most = most;
    this.#reserve = Math.floor(most / 8);
  }

  get running(): number {
    return this.#running;
  }

  get tripped(): number {
    return this.#byDevice.values().reduce((count, endpoint) => count + (endpoint.tripped ? 1 : 0), 0);
  }

  /** How many more deliveries may be out. */
  get room(): number {
    return Math.max(0, this.#most - this.#running);
  }

  /**
   * How many more may be out for the device, when `taken` are about to be posted for others. No endpoint has more than
   * is free beside it, and a part of the whole is given out one by one only, to those that have none: many that
   * hang leave room for the next one.
   */
  roomOf(deviceId: number, now: number, taken = 0): number {
    const endpoint = this.#byDevice.get(deviceId);
    const running = endpoint?.running ?? 0;
    const fair = Math.floor((this.room - this.#reserve - taken - running) / 2);
    const share = Math.max(running === 0 ? 1 : 0, fair);
    return Math.min(share, endpoint?.roomAt(now) ?? this.#limits.first);
  }

  /** Devices that can take nothing now. */
  full(now: number): number[] {
    return [...this.#byDevice.keys()].filter((deviceId) => this.roomOf(deviceId, now) <= 0);
  }

  /** When the next pause ends, or null. */
  nextPauseEnd(now: number): number | null {
    const ends = this.#byDevice.values().map((endpoint) => endpoint.pausedUntil);
    const next = ends.filter((end) => end > now).reduce((least, end) => Math.min(least, end), Infinity);
    return next === Infinity ? null : next;
  }

  /** Counts a post that begins. */
  begin(deviceId: number): Endpoint {
    const endpoint = this.#byDevice.get(deviceId) ?? new Endpoint(deviceId, this.#limits);
    this.#byDevice.set(deviceId, endpoint);
    endpoint.running += 1;
    this.#running += 1;
    return endpoint;
  }

  /** Counts a post that has ended, and forgets an endpoint of which there is nothing to remember. */
  end(endpoint: Endpoint): void {
    endpoint.running -= 1;
    this.#running -= 1;
    if (endpoint.idle) this.#byDevice.delete(endpoint.deviceId);
  }

  /** After an answer to a test event: what was learned from silence is forgotten. */
  revive(deviceId: number): void {
    const endpoint = this.#byDevice.get(deviceId);
    if (endpoint?.tripped === true) endpoint.answered();
    if (endpoint?.idle === true) this.#byDevice.delete(deviceId);
  }
}
