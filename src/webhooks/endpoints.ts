/** Concurrency of posts: for each endpoint (`endpointOf`) by how it answers, and the limits on all of them together. */

interface EndpointLimits {
  /** Posts at once to an endpoint that answers well. */
  readonly most: number;
  /** Posts at once to an endpoint of which nothing is known. */
  readonly first: number;
  /** Failures to answer in a row after which only a single probe is out at a time. */
  readonly tripAfter: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/** Adaptive concurrency of one endpoint: its window opens with every answer and closes when none come. */
export class Endpoint {
  readonly id: number;
  readonly #limits: EndpointLimits;
  /** Posts that are out. */
  running = 0;
  /** ms; in the past when it is not paused. */
  pausedUntil = 0;
  #window: number;
  /** Posts in a row that nobody has answered: nothing to remember when there are none. */
  silences = 0;
  #pauses = 0;

  constructor(id: number, limits: EndpointLimits) {
    this.id = id;
    this.#limits = limits;
    this.#window = limits.first;
  }

  get tripped(): boolean {
    return this.silences >= this.#limits.tripAfter;
  }

  /** How many more it can take now. */
  roomAt(now: number): number {
    return now < this.pausedUntil ? 0 : this.#window - this.running;
  }

  /** Any answer, whatever its status, is a sign of life. */
  answered(): void {
    this.#window = this.tripped ? this.#limits.first : Math.min(this.#window + 1, this.#limits.most);
    this.silences = 0;
    this.#pauses = 0;
    this.pausedUntil = 0;
  }

  /** No answer: refused, timed out, forbidden. Returns true when this one trips it. */
  silent(now: number): boolean {
    const before = this.tripped;
    this.silences += 1;
    this.#window = this.tripped ? 1 : Math.max(1, Math.floor(this.#window / 2));
    // Posts that were out together count as one probe: only the first of them sets the pause.
    if (this.tripped && now >= this.pausedUntil) {
      this.pausedUntil = now + Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 10), longestPauseMs);
      this.#pauses += 1;
    }
    return !before && this.tripped;
  }
}

/** All endpoints with posts under way or something to remember. */
export class Endpoints {
  readonly #byId = new Map<number, Endpoint>();
  readonly #limits: EndpointLimits;
  readonly #most: number;
  readonly #reserve: number;
  /** Posts that are out, to all of them. */
  running = 0;

  constructor(limits: EndpointLimits, most: number) {
    this.#limits = limits;
    this.#most = most;
    this.#reserve = Math.floor(most / 8);
  }

  get tripped(): number {
    return this.#byId.values().reduce((count, endpoint) => count + (endpoint.tripped ? 1 : 0), 0);
  }

  /** How many more deliveries may be out. */
  get room(): number {
    return Math.max(0, this.#most - this.running);
  }

  /**
   * How many more may be out for the endpoint, when `taken` are about to be posted for others. No endpoint has more than
   * is free beside it, and a part of the whole is given out one by one only, to those that have none: many that
   * hang leave room for the next one.
   */
  roomOf(id: number, now: number, taken = 0): number {
    const endpoint = this.#byId.get(id);
    const running = endpoint?.running ?? 0;
    const fair = Math.floor((this.room - this.#reserve - taken - running) / 2);
    const share = Math.max(running === 0 ? 1 : 0, fair);
    return Math.min(share, endpoint?.roomAt(now) ?? this.#limits.first);
  }

  /** Endpoints that can take nothing now. */
  full(now: number): number[] {
    const full: number[] = [];
    for (const id of this.#byId.keys()) if (this.roomOf(id, now) <= 0) full.push(id);
    return full;
  }

  /** When the next pause ends; Infinity: there is none. */
  nextPauseEnd(now: number): number {
    let next = Infinity;
    for (const { pausedUntil } of this.#byId.values()) if (pausedUntil > now) next = Math.min(next, pausedUntil);
    return next;
  }

  /** Counts a post that begins. */
  begin(id: number): Endpoint {
    const endpoint = this.#byId.get(id) ?? new Endpoint(id, this.#limits);
    this.#byId.set(id, endpoint);
    endpoint.running += 1;
    this.running += 1;
    return endpoint;
  }

  /** Counts a post that has ended, and forgets an endpoint of which there is nothing to remember. */
  end(endpoint: Endpoint): void {
    endpoint.running -= 1;
    this.running -= 1;
    if (endpoint.running === 0 && endpoint.silences === 0) this.#byId.delete(endpoint.id);
  }

  /** After an answer to a test event: what was learned from silence is forgotten. */
  revive(id: number): void {
    const endpoint = this.#byId.get(id);
    if (endpoint?.tripped === true) endpoint.answered();
    if (endpoint?.running === 0 && endpoint.silences === 0) this.#byId.delete(id);
  }
}
