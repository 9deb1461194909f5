/** Takes claimed deliveries through their attempts, and records the outcomes: many in one transaction. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import type { AttemptResult, DueDelivery } from '../domain/delivery.ts';
import { envelopeOf, type MediaUrl } from '../domain/event-view.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { Outbox } from '../domain/stores.ts';
import type { Target, WebhookStore } from '../domain/webhooks/webhook.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Posted, gone, postSigned, resultOf } from './attempt.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';

export interface PosterParts {
  readonly outbox: Pick<Outbox, 'record' | 'bringForward'>;
  readonly webhooks: Pick<WebhookStore, 'get' | 'disable'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: { readonly timeoutMs: number; readonly random: () => number };
  readonly endpoints: Endpoints;
  /** Called when an attempt is over. */
  readonly settled: () => void;
  /** Called when a transaction is asked for: a claim that follows at once can share its commit. */
  readonly writing: () => void;
  /** Called after each transaction. */
  readonly written: () => void;
}

/** Part of a lease that must be left after an attempt. */
const leaseMarginMs = 2000;
/** Outcomes in one transaction. */
const batchSize = 200;
/** How long an outcome waits for others, so that one flush serves them all. */
const gatherMs = 1;
const retryMs = 1000;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

export class Poster {
  readonly #parts: PosterParts;
  readonly #out = new Set<Promise<void>>();
  readonly #counts = { pending: 0, delivered: 0, failed: 0 };
  /** Outcomes that are not in the store yet. */
  readonly unwritten: AttemptResult[] = [];
  #recording: Promise<void> | null = null;
  #ending = false;

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  /** Attempts since the start, by outcome. */
  counts(): { readonly delivered: number; readonly retried: number; readonly failed: number } {
    const { delivered, pending, failed } = this.#counts;
    return { delivered, retried: pending, failed };
  }

  /** Posts what was claimed until `leaseUntil`. */
  post(claimed: readonly DueDelivery[], leaseUntil: number): void {
    for (const due of claimed) {
      const ended: Promise<void> = this.#launch(due, leaseUntil).then(() => void this.#out.delete(ended));
      this.#out.add(ended);
    }
  }

  /** Resolves when the posts that are out have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#out);
  }

  /** Writes what is waiting and takes nothing more. Outcomes that cannot be written are posted again after the next start. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#recording;
  }

  /** Never throws. */
  async #launch(due: DueDelivery, leaseUntil: number): Promise<void> {
    const { clock, options, log, endpoints, settled } = this.#parts;
    const endpoint = endpoints.begin(due);
    try {
      const now = clock.now();
      // Otherwise the outbox offers it again: its lease is too short for an attempt, or its endpoint has tripped since the claim.
      const isTimely = leaseUntil - now >= options.timeoutMs + leaseMarginMs && now >= endpoint.pausedUntil;
      if (isTimely) await this.#attempt(endpoint, due);
    } catch (error) {
      log.error({ deviceId: due.deviceId, error: messageOf(error) }, 'webhook attempt failed unexpectedly');
    }
    endpoints.end(endpoint);
    settled();
  }

  async #attempt(endpoint: Endpoint, due: DueDelivery): Promise<void> {
    const { log, options } = this.#parts;
    const { webhook } = due;
    const posted = await postSigned(
      this.#parts,
      options.timeoutMs,
      webhook,
      due.event.id,
      JSON.stringify(envelopeOf(due.event, this.#parts.mediaUrl)),
    );
    const now = posted.startedAt + posted.durationMs;
    if (posted.answer === null) this.#onSilence(endpoint, due, posted, now);
    else endpoint.answered(posted.durationMs);
    if (posted.answer?.status === gone) await this.#stop(webhook);
    const result = resultOf(due, posted, now, options.random());
    this.#counts[result.state] += 1;
    if (!this.#ending) {
      this.unwritten.push(result);
      this.#recording ??= this.#record();
    }
    if (!log.isLevelEnabled('debug')) return;
    const { deviceId, id, state, attempts, status, durationMs } = result;
    log.debug(
      { deviceId, delivery: id, host: hostOf(webhook.url), state, attempts, status, durationMs },
      'webhook post',
    );
  }

  #onSilence(endpoint: Endpoint, { deviceId, webhookId }: DueDelivery, { error }: Posted, now: number): void {
    if (!endpoint.silent(now)) return;
    this.#parts.log.warn({ deviceId, webhookId, error }, 'webhook endpoint does not answer');
  }

  /** After a 410; unless the URL was changed meanwhile. */
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

  /** Writes outcomes until none are left. */
  async #record(): Promise<void> {
    const { outbox, endpoints, clock, log, writing, written } = this.#parts;
    await (endpoints.running > this.unwritten.length ? sleep(gatherMs) : setImmediate());
    while (this.unwritten.length > 0) {
      const batch = this.unwritten.slice(0, batchSize);
      try {
        const recorded = outbox.record(batch);
        writing();
        for (const { webhookId, wasLong } of await recorded) void this.bringForward(webhookId, !wasLong);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'webhook outcomes could not be written; retrying');
        if (this.#ending) break;
        await new Promise<void>((resolve) => clock.after(retryMs, resolve));
        continue;
      }
      this.unwritten.splice(0, batch.length);
      written();
    }
    this.#recording = null;
  }

  /** As `Outbox.bringForward`. Never throws: if it fails, the deliveries keep their schedule. */
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
