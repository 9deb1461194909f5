/** Concurrency of posts: per endpoint by how it answers, with fair shares per user, so that slow endpoints leave room for others. */
import type { DueDelivery } from '../domain/delivery.ts';

interface EndpointLimits {
  readonly max: number;
  readonly first: number;
  readonly tripAfter: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** An endpoint that answers within this time may have all its posts under way; at twice the time, half of them. */
const promptMs = 1000;
export const runMs = 100;
const longestRun = 32;
const least = 4;
/** Weight of an answer in the average latency. */
const weight = 1 / 4;

/** Adaptive concurrency: the window grows with each answer, less for late ones, and halves with each post without an answer. */
export class Endpoint {
  readonly id: number;
  readonly userId: number;
  readonly #limits: EndpointLimits;
  running = 0;
  /** How many deliveries of one chat it can probably take in sequence within `runMs`. */
  run = longestRun;
  /** ms; in the past when it is not paused. */
  pausedUntil = 0;
  #window: number;
  #silences = 0;
  #pauses = 0;
  #latencyMs = 0;

  constructor({ webhookId, userId }: Owner, limits: EndpointLimits) {
    this.id = webhookId;
    this.userId = userId;
    this.#limits = limits;
    this.#window = limits.first;
  }

  get tripped(): boolean {
    return this.#silences >= this.#limits.tripAfter;
  }

  get isNotable(): boolean {
    return this.running > 0 || this.#silences > 0 || this.#latencyMs > promptMs;
  }

  roomAt(now: number): number {
    return now < this.pausedUntil ? 0 : this.#window - this.running;
  }

  answered(durationMs: number): void {
    this.#latencyMs += weight * (durationMs - this.#latencyMs);
    const { max, first } = this.#limits;
    const bound = Math.floor((max * promptMs) / Math.max(this.#latencyMs, promptMs));
    const opened = this.tripped ? first : this.#window + 1;
    this.#window = Math.min(opened, Math.max(bound, Math.min(least, max)));
    this.run = Math.max(1, Math.min(longestRun, Math.floor(runMs / Math.max(this.#latencyMs, 1))));
    this.#silences = 0;
    this.#pauses = 0;
    this.pausedUntil = 0;
  }

  /** Refused, timed out or forbidden. True if this trips it. */
  silent(now: number): boolean {
    const before = this.tripped;
    this.#silences += 1;
    this.run = 1;
    this.#window = this.tripped ? 1 : Math.max(1, Math.floor(this.#window / 2));
    // Posts under way together count as one probe: only the first sets the pause.
    if (this.tripped && now >= this.pausedUntil) {
      this.pausedUntil = now + Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 10), longestPauseMs);
      this.#pauses += 1;
    }
    return !before && this.tripped;
  }
}

type Owner = Pick<DueDelivery, 'webhookId' | 'userId'>;

/**
 * How many more posts may start: up to `times` what is left without a reserve of an eighth of `max`, which goes one by one to owners with
 * none under way.
 */
const shareOf = (room: number, max: number, own: number, times: number): number => {
  const left = room - Math.floor(max / 8);
  return Math.min(room, Math.max(own === 0 ? 1 : 0, Math.floor((times * left - own) / (times + 1))));
};

/** A single user may have three quarters of all posts, an endpoint half of its user's. */
const [timesOfUser, timesOfEndpoint] = [3, 1];

export class Endpoints {
  readonly #byId = new Map<number, Endpoint>();
  readonly #byUser = new Map<number, number>();
  readonly #limits: EndpointLimits;
  readonly #max: number;
  running = 0;

  constructor(limits: EndpointLimits, max: number) {
    this.#limits = limits;
    this.#max = max;
  }

  get tripped(): number {
    return this.#byId.values().reduce((count, endpoint) => count + (endpoint.tripped ? 1 : 0), 0);
  }

  get room(): number {
    return Math.max(0, this.#max - this.running);
  }

  /** How many more may start for the webhook, with `taken` about to be posted. */
  roomOf({ webhookId: id, userId }: Owner, now: number, taken: readonly Owner[] = []): number {
    const endpoint = this.#byId.get(id);
    let beside = 0;
    let ownOfUser = this.#byUser.get(userId) ?? 0;
    for (const one of taken) {
      if (one.webhookId === id) beside += 1;
      if (one.userId === userId) ownOfUser += 1;
    }
    const own = (endpoint?.running ?? 0) + beside;
    const ofUser = shareOf(this.room - taken.length, this.#max, ownOfUser, timesOfUser);
    const share = shareOf(ofUser, ofUser + ownOfUser, own, timesOfEndpoint);
    return Math.max(0, Math.min(share, (endpoint?.roomAt(now) ?? this.#limits.first) - beside));
  }

  readonly runOf = (id: number): number => this.#byId.get(id)?.run ?? longestRun;

  fullUsers(): number[] {
    const full: number[] = [];
    for (const [userId, own] of this.#byUser)
      if (shareOf(this.room, this.#max, own, timesOfUser) <= 0) full.push(userId);
    return full;
  }

  full(now: number): number[] {
    const full: number[] = [];
    for (const { id, userId } of this.#byId.values())
      if (this.roomOf({ webhookId: id, userId }, now) <= 0) full.push(id);
    return full;
  }

  /** Infinity: no endpoint is paused. */
  nextPauseEnd(now: number): number {
    let next = Infinity;
    for (const { pausedUntil } of this.#byId.values()) if (pausedUntil > now) next = Math.min(next, pausedUntil);
    return next;
  }

  begin(owner: Owner): Endpoint {
    const endpoint = this.#byId.get(owner.webhookId) ?? new Endpoint(owner, this.#limits);
    this.#byId.set(endpoint.id, endpoint);
    this.#count(endpoint, 1);
    return endpoint;
  }

  end(endpoint: Endpoint): void {
    this.#count(endpoint, -1);
    if (!endpoint.isNotable) this.#byId.delete(endpoint.id);
  }

  /** After an answer to a test event: forgets earlier silence. */
  revive(id: number): void {
    const endpoint = this.#byId.get(id);
    if (endpoint?.tripped === true) endpoint.answered(0);
    if (endpoint?.isNotable === false) this.#byId.delete(id);
  }

  #count(endpoint: Endpoint, change: 1 | -1): void {
    const ofUser = (this.#byUser.get(endpoint.userId) ?? 0) + change;
    if (ofUser === 0) this.#byUser.delete(endpoint.userId);
    else this.#byUser.set(endpoint.userId, ofUser);
    endpoint.running += change;
    this.running += change;
  }
}
