/** All endpoints that have something under way or something to remember, and the bounds on them together. */
import type { DueDelivery } from '../domain/delivery.ts';
import { Endpoint, type EndpointLimits } from './endpoint.ts';

/** A claimed delivery, ours until `leaseUntil`. */
export interface Claimed {
  readonly due: DueDelivery;
  readonly leaseUntil: number;
}

export class Endpoints {
  readonly #byDevice = new Map<number, Endpoint<Claimed>>();
  readonly #limits: EndpointLimits;
  readonly #most: number;
  readonly #reserve: number;
  #running = 0;
  #waiting = 0;

  constructor(limits: EndpointLimits, most: number) {
    this.#limits = limits;
    this.#most = most;
    this.#reserve = Math.floor(most / 8);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get tripped(): number {
    return this.#byDevice.values().reduce((count, endpoint) => count + (endpoint.tripped ? 1 : 0), 0);
  }

  /** How many deliveries more may be held. */
  get room(): number {
    return Math.max(0, this.#most - this.#running - this.#waiting);
  }

  /**
   * How many more may be held for the device, when `taken` are about to be held for others. No endpoint holds more than
   * is free beside it, and a part of the whole is given out one by one only, to those that hold nothing: many that
   * hang leave room for the next one.
   */
  roomOf(deviceId: number, now: number, taken = 0): number {
    const endpoint = this.find(deviceId);
    const held = endpoint?.held ?? 0;
    const fair = Math.floor((this.room - this.#reserve - taken - held) / 2);
    const share = Math.max(held === 0 ? 1 : 0, fair);
    return Math.min(share, endpoint?.roomAt(now) ?? this.#limits.first);
  }

  find(deviceId: number): Endpoint<Claimed> | undefined {
    return this.#byDevice.get(deviceId);
  }

  #make(deviceId: number): Endpoint<Claimed> {
    const made = new Endpoint<Claimed>(deviceId, this.#limits);
    this.#byDevice.set(deviceId, made);
    return made;
  }

  waitingDevices(): number[] {
    return [...this.#byDevice.values()].filter(({ waiting }) => waiting > 0).map(({ deviceId }) => deviceId);
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

  push(claimed: Claimed): void {
    const { deviceId } = claimed.due;
    (this.find(deviceId) ?? this.#make(deviceId)).push(claimed);
    this.#waiting += 1;
  }

  take(endpoint: Endpoint<Claimed>, now: number): Claimed | undefined {
    const claimed = endpoint.take(now);
    if (claimed === undefined) return undefined;
    this.#waiting -= 1;
    this.#running += 1;
    return claimed;
  }

  /** After a taken one has come to its end: forgets an endpoint of which there is nothing to remember. */
  done(endpoint: Endpoint<Claimed>): void {
    this.#running -= 1;
    endpoint.done();
    if (endpoint.idle) this.#byDevice.delete(endpoint.deviceId);
  }

  /** It answered a test event: what was learned from its silence is forgotten. */
  revive(deviceId: number): void {
    const endpoint = this.find(deviceId);
    if (endpoint?.tripped === true) endpoint.answered();
    if (endpoint?.idle === true) this.#byDevice.delete(deviceId);
  }

  clear(endpoint: Endpoint<Claimed>): void {
    this.#waiting -= endpoint.clear();
  }

  clearAll(): void {
    for (const endpoint of this.#byDevice.values()) this.clear(endpoint);
  }
}
