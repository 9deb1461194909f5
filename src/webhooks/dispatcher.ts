/** Drains the outbox (docs/spec/webhooks.md, Retries and Order): claims what is due, posts it, and sleeps until more is due. */
import type { Clock } from '../domain/clock.ts';
import type { CommittedEvent } from '../domain/event.ts';
import type { FreshTaker } from '../domain/delivery.ts';
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
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxPerEndpoint: number;
  /** Consecutive failures to answer after which an endpoint gets single probes. */
  readonly tripAfter: number;
  readonly stopMs: number;
  readonly random: () => number;
}

export interface DispatcherParts {
  readonly outbox: Pick<Outbox, 'claim' | 'takeFresh' | 'record' | 'release' | 'bringForward' | 'nextDueAt'>;
  readonly webhooks: Pick<WebhookStore, 'get' | 'disable'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options?: Partial<DispatcherOptions>;
}

export interface DispatcherStats {
  readonly running: number;
  readonly tripped: number;
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

/** Concurrent posts to an unknown endpoint. */
const firstWindow = 16;
const claimSize = 128;
/** Longest sleep; finds deliveries that no wakeup announced. */
const idleMs = 30_000;
/** Poll interval while what is due belongs to a full or paused endpoint: other deliveries may become due unseen. */
const maskedMs = 500;
const errorPauseMs = 1000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #options: DispatcherOptions;
  readonly #endpoints: Endpoints;
  readonly #poster: Poster;
  #running: Promise<void> | null = null;
  #stopping = false;
  /** Something due had no room, so the end of a post wakes the loop. */
  #masked = false;
  #recording = false;
  /** Whose deliveries wait for room, which new ones must not take; null: nobody's. `all`: everybody's. */
  #behind: { readonly all: boolean; readonly webhooks: Set<number>; readonly users: Set<number> } | null = null;
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
      // In SQLite, a claim that follows at once shares the commit of the record.
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
    const accepts: FreshTaker['accepts'] = (queue, taken) => {
      const { all = false, webhooks, users } = this.#behind ?? {};
      const isBehind = all || webhooks?.has(queue.webhookId) === true || users?.has(queue.userId) === true;
      return !this.#stopping && !isBehind && this.#poster.accepts(queue, taken);
    };
    this.#parts.outbox.takeFresh({ accepts, take: this.#poster.take });
    this.#running ??= this.#loop();
  }

  /** Waits up to `stopMs` for posts under way; unfinished ones are repeated after the next start. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    this.#stopping = true;
    this.wake();
    await this.#running;
    const late = new Promise<void>((resolve) => clock.after(this.#options.stopMs, resolve));
    await Promise.race([this.#poster.idle(), late]);
    await this.#poster.end();
  }

  /** Call after every commit that wrote deliveries. It also ends a sleep that has yet to begin. */
  readonly wake = (): void => {
    this.#signalled = true;
    this.#awake?.();
  };

  /** An empty list: events of other nodes may have been missed. */
  readonly committed = (events: readonly Pick<CommittedEvent, 'isPosted'>[]): void => {
    let isPosted = events.length === 0;
    for (const event of events) isPosted ||= event.isPosted;
    if (isPosted) this.wake();
  };

  /** After a success, waiting deliveries are posted too. */
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
      if (ms <= 0) continue;
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
  }

  /** Returns for how long there is nothing to do. */
  async #turn(): Promise<number> {
    const { outbox, clock } = this.#parts;
    const now = clock.now();
    // From here on the end of a post wakes the loop.
    this.#masked = true;
    const recording = this.#recording;
    this.#recording = false;
    let claimed = 0;
    // Checked first, because a claim flushes the disk even if it finds nothing. What a record makes due is not visible yet.
    let due = recording ? now : await outbox.nextDueAt();
    if (due !== null && due <= now) {
      claimed = await this.#claim(now);
      // The end of that record wakes the loop again.
      due = recording && claimed === 0 ? null : await outbox.nextDueAt();
    }
    if (due !== null && due <= now) {
      const webhooks = new Set(this.#endpoints.full(now));
      const users = new Set(this.#endpoints.fullUsers());
      this.#behind = { all: claimed > 0, webhooks, users };
      return claimed > 0 ? 0 : maskedMs;
    }
    this.#masked = false;
    this.#behind = null;
    return Math.min(Math.min(due ?? Infinity, this.#endpoints.nextPauseEnd(now)) - clock.now(), idleMs);
  }

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
      runOf: endpoints.runOf,
    });
    this.#poster.post(claimed, leaseUntil);
    return claimed.length;
  }
}
