/** Takes claimed deliveries through their attempts and records the outcomes, many per transaction. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import type { AttemptResult, DueDelivery, FreshDelivery, FreshQueue } from '../domain/delivery.ts';
import { envelopeOf, type MediaUrl } from '../domain/event-view.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { Outbox } from '../domain/stores.ts';
import type { Target, WebhookStore } from '../domain/webhooks/webhook.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { gone, postSigned, resultOf } from './attempt.ts';
import { type Endpoint, type Endpoints, runMs } from './endpoints.ts';

export interface PosterParts {
  readonly outbox: Pick<Outbox, 'record' | 'release' | 'bringForward'>;
  readonly webhooks: Pick<WebhookStore, 'get' | 'disable'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: { readonly timeoutMs: number; readonly random: () => number };
  readonly endpoints: Endpoints;
  readonly settled: () => void;
  /** Called when a transaction is requested: a claim that follows at once can share its commit. */
  readonly writing: () => void;
  readonly written: () => void;
}

/** Part of a lease that must be left after an attempt. */
const leaseMarginMs = 2000;
const batchSize = 200;
/** How long an outcome waits for others to share a transaction. */
const gatherMs = 1;
/** The same for successes of fresh deliveries, which nothing waits for. */
const gatherFreshMs = 50;
/** Fresh deliveries of one queue in memory; more wait in the database. */
const longestChain = 32;
const retryMs = 1000;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

interface Chain {
  readonly key: string;
  /** Those that are not posted yet; the first is being posted. */
  readonly due: FreshDelivery[];
  /** False: one has failed or cannot be posted in time, and what the queue has claimed is being released. */
  isOpen: boolean;
  /** What follows waits in the database. */
  isFull: boolean;
}

interface Ended {
  readonly outcomes: readonly AttemptResult[];
  readonly chain: Chain | null;
}

const chainKey = ({ deviceId, webhookId, orderHash }: FreshQueue): string => `${deviceId}/${webhookId}/${orderHash}`;

export class Poster {
  readonly #parts: PosterParts;
  readonly #out = new Set<Promise<void>>();
  readonly #counts = { pending: 0, delivered: 0, failed: 0 };
  readonly #chains = new Map<string, Chain>();
  /** Released before they were handed over. */
  readonly #strays = new Set<string>();
  readonly unwritten: Ended[] = [];
  #recording: Promise<void> | null = null;
  /** Ends the wait for more outcomes. */
  #hurry: () => void = () => {};
  #ending = false;

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  counts(): { readonly delivered: number; readonly retried: number; readonly failed: number } {
    const { delivered, pending, failed } = this.#counts;
    return { delivered, retried: pending, failed };
  }

  post(claimed: readonly DueDelivery[], leaseUntil: number): void {
    for (const due of claimed) {
      const endpoint = this.#parts.endpoints.begin(due);
      void this.#launch(endpoint, this.#run(endpoint, due, leaseUntil));
    }
  }

  /** A chain needs no other post at the same time. */
  accepts(queue: FreshQueue, taken: readonly FreshQueue[]): boolean {
    const chain = this.#chains.get(chainKey(queue));
    if (chain !== undefined) {
      chain.isFull ||= chain.due.length >= longestChain;
      return chain.isOpen && !chain.isFull;
    }
    return this.#parts.endpoints.roomOf(queue, this.#parts.clock.now(), taken) > 0;
  }

  readonly take = (due: FreshDelivery): void => {
    const { endpoints, clock } = this.#parts;
    if (this.#strays.delete(due.id)) return;
    const key = chainKey(due);
    const known = this.#chains.get(key);
    if (known !== undefined) {
      known.due.push(due);
      return;
    }
    const chain: Chain = { key, due: [due], isOpen: true, isFull: false };
    this.#chains.set(key, chain);
    if (endpoints.roomOf(due, clock.now()) <= 0) return this.#leave(chain);
    const endpoint = endpoints.begin(due);
    void this.#launch(endpoint, this.#follow(endpoint, chain));
  };

  async idle(): Promise<void> {
    await Promise.all(this.#out);
  }

  /** Writes what waits and takes nothing more. Unwritten outcomes are posted again after the next start. */
  async end(): Promise<void> {
    this.#ending = true;
    this.#hurry();
    await this.#recording;
  }

  async #launch(endpoint: Endpoint, posting: Promise<void>): Promise<void> {
    const { endpoints, settled } = this.#parts;
    this.#out.add(posting);
    try {
      await posting;
    } finally {
      this.#out.delete(posting);
      endpoints.end(endpoint);
      settled();
    }
  }

  /** Posts a run in sequence, until its time is over or one fails. The rest is claimed again. */
  async #run(endpoint: Endpoint, due: DueDelivery, leaseUntil: number): Promise<void> {
    const { clock } = this.#parts;
    const startedAt = clock.now();
    const outcomes: AttemptResult[] = [];
    // Outcomes before a slow post are written meanwhile.
    const write = () => this.#write(outcomes.splice(0).map((each) => ({ ...each, isContinued: true })));
    const timer = due.rest === undefined ? null : clock.after(runMs, write);
    for (const each of [due, ...(due.rest ?? [])]) {
      if (!this.#isTimely(endpoint, leaseUntil) || clock.now() - startedAt >= runMs) break;
      const outcome = await this.#attempt(endpoint, each);
      if (outcome !== null) outcomes.push(outcome);
      if (outcome?.state !== 'delivered') break;
    }
    timer?.cancel();
    this.#write(outcomes);
  }

  /** Posts fresh deliveries of a queue in sequence, and those that are handed over meanwhile. */
  async #follow(endpoint: Endpoint, chain: Chain): Promise<void> {
    // Callers that wait for the commit go first.
    await setImmediate();
    for (let due = chain.due[0]; due !== undefined; due = chain.due[0]) {
      const outcome = this.#isTimely(endpoint, due.leaseUntil) ? await this.#attempt(endpoint, due) : null;
      if (outcome?.state !== 'delivered') {
        this.#leave(chain, outcome);
        return;
      }
      chain.due.shift();
      this.#write([outcome], null, chain.isFull && chain.due.length === 0);
    }
    this.#chains.delete(chain.key);
  }

  /** False if the lease is too short for an attempt, or the endpoint has tripped since the claim. */
  #isTimely(endpoint: Endpoint, leaseUntil: number): boolean {
    const { clock, options } = this.#parts;
    const now = clock.now();
    return leaseUntil - now >= options.timeoutMs + leaseMarginMs && now >= endpoint.pausedUntil && !this.#ending;
  }

  #leave(chain: Chain, outcome: AttemptResult | null = null): void {
    chain.isOpen = false;
    this.#write(outcome === null ? [] : [outcome], chain);
  }

  #write(outcomes: readonly AttemptResult[], chain: Chain | null = null, isUrgent = true): void {
    if (this.#ending || (outcomes.length === 0 && chain === null)) return;
    this.unwritten.push({ outcomes, chain });
    if (isUrgent) this.#hurry();
    this.#recording ??= this.#record(isUrgent);
  }

  /** Null after an error of our own. */
  async #attempt(endpoint: Endpoint, due: DueDelivery): Promise<AttemptResult | null> {
    const { log, options, mediaUrl } = this.#parts;
    const { deviceId, webhookId, webhook, event } = due;
    try {
      const body = JSON.stringify(envelopeOf(event, mediaUrl));
      const posted = await postSigned(this.#parts, options.timeoutMs, webhook, event.id, body);
      const now = posted.startedAt + posted.durationMs;
      if (posted.answer !== null) endpoint.answered(posted.durationMs);
      else if (endpoint.silent(now))
        log.warn({ deviceId, webhookId, error: posted.error }, 'webhook endpoint does not answer');
      if (posted.answer?.status === gone) await this.#stop(webhook);
      const result = resultOf(due, posted, now, options.random());
      this.#counts[result.state] += 1;
      if (!log.isLevelEnabled('debug')) return result;
      const { state, attempts, status, durationMs } = result;
      log.debug(
        { deviceId, delivery: due.id, host: hostOf(webhook.url), state, attempts, status, durationMs },
        'webhook post',
      );
      return result;
    } catch (error) {
      log.error({ deviceId, error: messageOf(error) }, 'webhook attempt failed unexpectedly');
      return null;
    }
  }

  /** After a 410, unless the URL was changed meanwhile. */
  async #stop({ id, deviceId, url }: Target): Promise<void> {
    const { webhooks, clock, log } = this.#parts;
    try {
      const present = await webhooks.get(id);
      if (present.url !== url) return;
      await webhooks.disable(present, clock.now());
      log.warn({ deviceId, webhookId: id }, 'webhook stopped: its endpoint answered 410 Gone');
    } catch (error) {
      log.error({ deviceId, webhookId: id, error: messageOf(error) }, 'webhook could not be stopped');
    }
  }

  async #record(isUrgent: boolean): Promise<void> {
    const { endpoints, clock, log, written } = this.#parts;
    if (!isUrgent) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, gatherFreshMs);
      this.#hurry = resolve;
      await promise;
      clearTimeout(timer);
    }
    await (endpoints.running > this.unwritten.length ? sleep(gatherMs) : setImmediate());
    while (this.unwritten.length > 0) {
      let end = 0;
      for (let count = 0; end < this.unwritten.length; end += 1) {
        count += this.unwritten[end]!.outcomes.length;
        if (count > batchSize) break;
      }
      try {
        await this.#writeTogether(this.unwritten.slice(0, end));
      } catch (error) {
        log.error({ error: messageOf(error) }, 'webhook outcomes could not be written; retrying');
        if (this.#ending) break;
        await new Promise<void>((resolve) => clock.after(retryMs, resolve));
        continue;
      }
      this.unwritten.splice(0, end);
      written();
    }
    this.#recording = null;
  }

  async #writeTogether(ended: readonly Ended[]): Promise<void> {
    const { outbox, writing } = this.#parts;
    const results: AttemptResult[] = [];
    const chains: Chain[] = [];
    for (const { outcomes, chain } of ended) {
      results.push(...outcomes);
      if (chain !== null) chains.push(chain);
    }
    const recorded = outbox.record(results);
    writing();
    for (const { webhookId, wasLong } of await recorded) void this.bringForward(webhookId, !wasLong);
    if (chains.length === 0) return;
    const released = await outbox.release(chains.map(({ due }) => due[0]!));
    const arrived = new Set(chains.flatMap(({ due }) => due.map(({ id }) => id)));
    for (const id of released) if (!arrived.has(id)) this.#strays.add(id);
    for (const { key } of chains) this.#chains.delete(key);
  }

  /** As `Outbox.bringForward`. Never throws: on failure the deliveries keep their schedule. */
  async bringForward(webhookId: number, untried = false): Promise<void> {
    const { outbox, clock, log, written } = this.#parts;
    try {
      await outbox.bringForward(webhookId, clock.now(), untried);
      written();
    } catch (error) {
      log.warn({ webhookId, error: messageOf(error) }, 'waiting deliveries could not be brought forward');
    }
  }
}
