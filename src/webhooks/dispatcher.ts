/** Drains the outbox (docs/spec/webhooks.md, Retries and Order): claims what is due, has it posted, and sleeps until more is due. */
import type { Clock } from '../domain/clock.ts';
import type { CommittedEvent } from '../domain/event.ts';
import type { MediaUrl } from '../domain/event-view.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { Outbox } from '../domain/stores.ts';
import type { Target, WebhookStore } from '../domain/webhooks/webhook.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { Endpoints } from './endpoints.ts';
import { Poster } from './poster.ts';
import { type TestOutcome, postTest } from './attempt.ts';

export interface DispatcherOptions {
  /** How long an endpoint may take to answer. */
  readonly timeoutMs: number;
  /** Posts at once, over all devices. */
  readonly maxInFlight: number;
  /** Posts at once to one endpoint. */
  readonly maxPerEndpoint: number;
  /** Failures to answer in a row after which an endpoint gets single probes. */
  readonly tripAfter: number;
  /** How long `stop` waits for posts that are out. */
  readonly stopMs: number;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
}

export interface DispatcherParts {
  readonly outbox: Pick<Outbox, 'claim' | 'record' | 'bringForward' | 'nextDueAt'>;
  readonly webhooks: Pick<WebhookStore, 'get' | 'disable'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options?: Partial<DispatcherOptions>;
}

export interface DispatcherStats {
  /** Posts that are out now. */
  readonly running: number;
  /** Endpoints that get single probes because they do not answer. */
  readonly tripped: number;
  /** Since the start: attempts that succeeded, that will be retried, and that were the last. */
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
}

const defaults: DispatcherOptions = {
  timeoutMs: 15_000,
  maxInFlight: 512,
  maxPerEndpoint: 64,
  tripAfter: 5,
  stopMs: 5000,
  random: Math.random,
};

/** Posts at once to an endpoint of which nothing is known yet. */
const firstWindow = 16;
const claimSize = 128;
/** The longest sleep: finds deliveries that no wakeup announced. */
const idleMs = 30_000;
/** Poll interval while what is due belongs to a full or paused endpoint, because other deliveries may become due unseen. */
const maskedMs = 500;
const errorPauseMs = 1000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #options: DispatcherOptions;
  readonly #endpoints: Endpoints;
  readonly #poster: Poster;
  #running: Promise<void> | null = null;
  #stopping = false;
  /** Something is due that had no room, so the end of a post wakes the loop. */
  #masked = false;
  /** A record is about to be written. */
  #recording = false;
  #signalled = false;
  #awake: (() => void) | null = null;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#options = { ...defaults, ...parts.options };
    const { maxPerEndpoint: max, tripAfter, maxInFlight } = this.#options;
    this.#endpoints = new Endpoints({ max, first: Math.min(firstWindow, max), tripAfter }, maxInFlight);
    this.#poster = new Poster({
      ...parts,
      options: this.#options,
      endpoints: this.#endpoints,
      // A claim that follows at once shares the commit of the record in SQLite.
      writing: () => {
        this.#recording = true;
        this.wake();
      },
      written: this.wake,
      // Otherwise the record of a post wakes the loop, since only that makes more due.
      settled: () => {
        if (this.#masked) this.wake();
      },
    });
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** Waits for the posts that are out, up to `stopMs`; what is unfinished is posted after the next start. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    this.#stopping = true;
    this.wake();
    await this.#running;
    const late = new Promise<void>((resolve) => clock.after(this.#options.stopMs, resolve));
    await Promise.race([this.#poster.idle(), late]);
    await this.#poster.end();
  }

  /** To be called after every commit that wrote deliveries. It also ends a sleep that has yet to begin. */
  readonly wake = (): void => {
    this.#signalled = true;
    this.#awake?.();
  };

  /** For events that were committed; an empty list if those of other nodes may have been missed. */
  readonly committed = (events: readonly Pick<CommittedEvent, 'isPosted'>[]): void => {
    let isPosted = events.length === 0;
    for (const event of events) isPosted ||= event.isPosted;
    if (isPosted) this.wake();
  };

  /** Posts a signed test event at once. After a success, what waits is posted too. */
  async test(webhook: Target): Promise<TestOutcome> {
    const outcome = await postTest(this.#parts, webhook, this.#options.timeoutMs);
    if (outcome.status !== null) this.#endpoints.revive(webhook.id);
    if (outcome.error === null) await this.#poster.bringForward(webhook.id);
    this.wake();
    return outcome;
  }

  stats(): DispatcherStats {
    const { running, tripped } = this.#endpoints;
    return { running, tripped, ...this.#poster.counts() };
  }

  async #loop(): Promise<void> {
    while (!this.#stopping) {
      let ms = errorPauseMs;
      try {
        ms = await this.#turn();
      } catch (error) {
        this.#parts.log.error({ error: messageOf(error) }, 'the webhook outbox cannot be read; retrying');
      }
      if (ms > 0) await this.#sleep(ms);
    }
  }

  /** Ends after `ms`, or at a signal. */
  async #sleep(ms: number): Promise<void> {
    if (!this.#signalled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = this.#parts.clock.after(ms, resolve);
      this.#awake = resolve;
      await promise;
      timer.cancel();
      this.#awake = null;
    }
    this.#signalled = false;
  }

  /** Claims what is due; returns for how long there is nothing to do. */
  async #turn(): Promise<number> {
    const { outbox, clock } = this.#parts;
    const now = clock.now();
    // From here on the end of a post wakes the loop.
    this.#masked = true;
    const recording = this.#recording;
    this.#recording = false;
    let claimed = 0;
    // Asked first, because a claim flushes the disk even if it finds nothing. What a record makes due is not visible yet.
    let due = recording ? now : await outbox.nextDueAt();
    if (due !== null && due <= now) {
      claimed = await this.#claim(now);
      // The end of that record wakes the loop again.
      due = recording && claimed === 0 ? null : await outbox.nextDueAt();
    }
    if (due !== null && due <= now) return claimed > 0 ? 0 : maskedMs;
    this.#masked = false;
    return Math.min(Math.min(due ?? Infinity, this.#endpoints.nextPauseEnd(now)) - clock.now(), idleMs);
  }

  /** Claims what there is room for and posts it; returns how many. */
  async #claim(now: number): Promise<number> {
    const endpoints = this.#endpoints;
    const limit = Math.min(endpoints.room - this.#poster.unwritten.length, claimSize);
    if (limit <= 0) return 0;
    // Twice an attempt: long enough to record it, short enough that a crash delays little.
    const leaseUntil = now + 2 * this.#options.timeoutMs;
    const claimed = await this.#parts.outbox.claim({
      now,
      leaseUntil,
      limit,
      exceptWebhooks: endpoints.full(now),
      exceptUsers: endpoints.fullUsers(),
      roomOf: (owner, taken) => endpoints.roomOf(owner, now, taken),
    });
    this.#poster.post(claimed, leaseUntil);
    return claimed.length;
  }
}
