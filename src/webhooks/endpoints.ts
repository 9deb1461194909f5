/**
 * Concurrency of posts: how many the endpoint of a webhook may have out by how it answers, and its share of all posts. Shares go by user:
 * however many endpoints of one user are slow, the posts of another find room.
 */
import type { DueDelivery } from '../domain/delivery.ts';

interface EndpointLimits {
  /** Posts at once to an endpoint that answers well. */
  readonly max: number;
  /** Posts at once to an endpoint of which nothing is known. */
  readonly first: number;
  /** Failures to answer in a row after which only a single probe is out at a time. */
  readonly tripAfter: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** An endpoint that answers within this time may have all its posts out; one that takes twice as long, half of them. */
const promptMs = 1000;
/** Posts at once to an endpoint that answers, however late. */
const least = 4;
/** Weight of an answer in the average of an endpoint's latency. */
const weight = 1 / 4;

/** Adaptive concurrency of one endpoint: its window grows with each answer, less for late ones, and halves with each post without an answer. */
export class Endpoint {
  /** Of the webhook. */
  readonly id: number;
  readonly userId: number;
  readonly #limits: EndpointLimits;
  /** Posts that are out. */
  running = 0;
  /** ms; in the past when it is not paused. */
  pausedUntil = 0;
  #window: number;
  /** Posts in a row that nobody has answered. */
  #silences = 0;
  #pauses = 0;
  /** Average of its latest answers, ms. */
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

  /** True while there is something to remember of it. */
  get isNotable(): boolean {
    return this.running > 0 || this.#silences > 0 || this.#latencyMs > promptMs;
  }

  /** How many more it can take now. */
  roomAt(now: number): number {
    return now < this.pausedUntil ? 0 : this.#window - this.running;
  }

  /** Any answer, whatever its status, is a sign of life. */
  answered(durationMs: number): void {
    this.#latencyMs += weight * (durationMs - this.#latencyMs);
    const { max, first } = this.#limits;
    const bound = Math.floor((max * promptMs) / Math.max(this.#latencyMs, promptMs));
    const opened = this.tripped ? first : this.#window + 1;
    this.#window = Math.min(opened, Math.max(bound, Math.min(least, max)));
    this.#silences = 0;
    this.#pauses = 0;
    this.pausedUntil = 0;
  }

  /** No answer: refused, timed out, forbidden. Returns true when this one trips it. */
  silent(now: number): boolean {
    const before = this.tripped;
    this.#silences += 1;
    this.#window = this.tripped ? 1 : Math.max(1, Math.floor(this.#window / 2));
    // Posts that were out together count as one probe: only the first of them sets the pause.
    if (this.tripped && now >= this.pausedUntil) {
      this.pausedUntil = now + Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 10), longestPauseMs);
      this.#pauses += 1;
    }
    return !before && this.tripped;
  }
}

/** A webhook and the user whose it is. */
type Owner = Pick<DueDelivery, 'webhookId' | 'userId'>;

/**
 * How many more posts somebody with `own` out may start: until they have `times` what is then left without `reserve`. The reserve is given
 * out
 * one by one, to those that have none out, so that many hanging posts leave room for the next one.
 */
const shareOf = (room: number, reserve: number, own: number, times: number): number =>
  Math.min(room, Math.max(own === 0 ? 1 : 0, Math.floor((times * (room - reserve) - own) / (times + 1))));

/** A user alone may have three quarters of all posts, and an endpoint half of its user's. */
const [timesOfUser, timesOfEndpoint] = [3, 1];

/** Kept for those that have nothing out. */
const reserveOf = (max: number): number => Math.floor(max / 8);

const countOf = (taken: readonly Owner[], isCounted: (one: Owner) => boolean): number =>
  taken.reduce((count, one) => count + (isCounted(one) ? 1 : 0), 0);

/** All endpoints with posts under way or something to remember. */
export class Endpoints {
  readonly #byId = new Map<number, Endpoint>();
  /** Posts that are out, by user. */
  readonly #byUser = new Map<number, number>();
  readonly #limits: EndpointLimits;
  readonly #max: number;
  /** Posts that are out, to all of them. */
  running = 0;

  constructor(limits: EndpointLimits, max: number) {
    this.#limits = limits;
    this.#max = max;
  }

  get tripped(): number {
    return this.#byId.values().reduce((count, endpoint) => count + (endpoint.tripped ? 1 : 0), 0);
  }

  /** How many more deliveries may be out. */
  get room(): number {
    return Math.max(0, this.#max - this.running);
  }

  #roomOfUser(own: number, taken: number): number {
    return shareOf(this.room - taken, reserveOf(this.#max), own, timesOfUser);
  }

  /** How many more may be out for the webhook, when `taken` are about to be posted. */
  roomOf({ webhookId: id, userId }: Owner, now: number, taken: readonly Owner[] = []): number {
    const endpoint = this.#byId.get(id);
    const beside = countOf(taken, (one) => one.webhookId === id);
    const own = (endpoint?.running ?? 0) + beside;
    const ownOfUser = (this.#byUser.get(userId) ?? 0) + countOf(taken, (one) => one.userId === userId);
    const ofUser = this.#roomOfUser(ownOfUser, taken.length);
    const share = shareOf(ofUser, reserveOf(ofUser + ownOfUser), own, timesOfEndpoint);
    return Math.max(0, Math.min(share, (endpoint?.roomAt(now) ?? this.#limits.first) - beside));
  }

  /** Users who can have no more posts out now. */
  fullUsers(): number[] {
    return [...this.#byUser.keys()].filter((userId) => this.#roomOfUser(this.#byUser.get(userId)!, 0) <= 0);
  }

  /** Webhooks whose endpoints can take nothing now. */
  full(now: number): number[] {
    const full: number[] = [];
    for (const { id, userId } of this.#byId.values())
      if (this.roomOf({ webhookId: id, userId }, now) <= 0) full.push(id);
    return full;
  }

  /** When the next pause ends; Infinity: there is none. */
  nextPauseEnd(now: number): number {
    let next = Infinity;
    for (const { pausedUntil } of this.#byId.values()) if (pausedUntil > now) next = Math.min(next, pausedUntil);
    return next;
  }

  /** Counts a post that begins. */
  begin(owner: Owner): Endpoint {
    const endpoint = this.#byId.get(owner.webhookId) ?? new Endpoint(owner, this.#limits);
    this.#byId.set(endpoint.id, endpoint);
    this.#count(endpoint, 1);
    return endpoint;
  }

  /** Counts a post that has ended, and forgets an endpoint with nothing to remember. */
  end(endpoint: Endpoint): void {
    this.#count(endpoint, -1);
    if (!endpoint.isNotable) this.#byId.delete(endpoint.id);
  }

  /** After an answer to a test event: what was learned from silence is forgotten. */
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
