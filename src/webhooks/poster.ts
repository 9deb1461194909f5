/** Takes claimed deliveries through their attempt: as many at once as their endpoint allows. */
import type { Clock } from '../domain/clock.ts';
import type { WebhookTarget } from '../domain/delivery.ts';
import { envelopeOf } from '../domain/event.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { WebhookStore } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Posted, isGone, postSigned, resultOf } from './attempt.ts';
import type { Endpoint } from './endpoint.ts';
import type { Claimed, Endpoints } from './endpoints.ts';
import type { Recorder } from './recorder.ts';

export interface PosterParts {
  readonly webhooks: Pick<WebhookStore, 'get' | 'disable'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: { readonly timeoutMs: number; readonly random: () => number };
  readonly endpoints: Endpoints;
  readonly recorder: Recorder;
  /** Called when an attempt is over. */
  readonly settled: () => void;
}

/** Time that a lease must have left beyond the length of an attempt. */
const leaseMarginMs = 2000;

type Reachable = WebhookTarget & { readonly url: string };

const isReachable = (webhook: WebhookTarget): webhook is Reachable =>
  webhook.url !== null && webhook.disabledAt === null;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

export class Poster {
  readonly #parts: PosterParts;
  /** Posts that are out. */
  #out = 0;
  #idle: (() => void)[] = [];
  /** Read once for all posts that begin together. */
  readonly #reading = new Map<number, Promise<Reachable | null>>();
  readonly #counts = { pending: 0, delivered: 0, failed: 0 };

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  /** Attempts since the start, by outcome. */
  counts(): { readonly delivered: number; readonly retried: number; readonly failed: number } {
    const { delivered, pending, failed } = this.#counts;
    return { delivered, retried: pending, failed };
  }

  /** Posts what stands in line for the device, as far as its endpoint allows. */
  advance(deviceId: number): void {
    const { endpoints, clock } = this.#parts;
    const endpoint = endpoints.find(deviceId);
    if (endpoint === undefined) return;
    for (;;) {
      const claimed = endpoints.take(endpoint, clock.now());
      if (claimed === undefined) return;
      void this.#launch(endpoint, claimed);
    }
  }

  /** After time has passed: for all devices. */
  advanceAll(): void {
    for (const deviceId of this.#parts.endpoints.waitingDevices()) this.advance(deviceId);
  }

  /** Resolves when no post is out. */
  async idle(): Promise<void> {
    while (this.#out > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Never throws. */
  async #launch(endpoint: Endpoint<Claimed>, claimed: Claimed): Promise<void> {
    const { deviceId } = endpoint;
    const { log, endpoints, settled } = this.#parts;
    this.#out += 1;
    try {
      await this.#attempt(endpoint, claimed);
    } catch (error) {
      log.error({ deviceId, error: messageOf(error) }, 'webhook attempt broke off');
    }
    this.#out -= 1;
    endpoints.done(endpoint);
    this.advance(deviceId);
    settled();
    if (this.#out === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #attempt(endpoint: Endpoint<Claimed>, { due, leaseUntil }: Claimed): Promise<void> {
    const { clock, log, options, outbound, recorder } = this.#parts;
    const webhook = await this.#webhookOf(due.deviceId);
    // Not ours for long enough, or nowhere to go: the lease runs out, and the outbox decides anew.
    if (webhook === null || leaseUntil - clock.now() < options.timeoutMs + leaseMarginMs) return;
    const body = JSON.stringify(envelopeOf(due.event));
    const post = { outbound, now: () => clock.now(), timeoutMs: options.timeoutMs };
    const posted = await postSigned(post, webhook, due.event.id, body);
    this.#learn(endpoint, posted);
    if (isGone(posted)) await this.#stop(endpoint, webhook);
    const result = resultOf(due, posted, clock.now(), options.random());
    this.#counts[result.state] += 1;
    recorder.add(result);
    if (!log.isLevelEnabled('debug')) return;
    const { deviceId, id, state, attempts, status, durationMs } = result;
    log.debug(
      { deviceId, delivery: id, host: hostOf(webhook.url), state, attempts, status, durationMs },
      'webhook post',
    );
  }

  /** The webhook as it is now, or null when there is nowhere to post to any more. */
  #webhookOf(deviceId: number): Promise<Reachable | null> {
    const begun = this.#reading.get(deviceId);
    if (begun !== undefined) return begun;
    const reading = this.#readWebhook(deviceId);
    this.#reading.set(deviceId, reading);
    return reading;
  }

  async #readWebhook(deviceId: number): Promise<Reachable | null> {
    const { webhooks, log } = this.#parts;
    try {
      const webhook = await webhooks.get(deviceId);
      return isReachable(webhook) ? webhook : null;
    } catch (error) {
      log.debug({ deviceId, error: messageOf(error) }, 'the webhook of a delivery cannot be read');
      return null;
    } finally {
      this.#reading.delete(deviceId);
    }
  }

  #learn(endpoint: Endpoint<Claimed>, posted: Posted): void {
    const { clock, log, endpoints } = this.#parts;
    if (posted.answer !== null) {
      endpoint.answered();
      return;
    }
    const { deviceId } = endpoint;
    if (endpoint.silent(clock.now())) log.warn({ deviceId, error: posted.error }, 'webhook endpoint does not answer');
    if (endpoint.tripped) endpoints.clear(endpoint);
  }

  /** After a 410; unless the URL was changed meanwhile. */
  async #stop(endpoint: Endpoint<Claimed>, { deviceId, url }: Reachable): Promise<void> {
    const { webhooks, clock, log, endpoints } = this.#parts;
    endpoints.clear(endpoint);
    try {
      const present = await webhooks.get(deviceId);
      if (present.url !== url) return;
      await webhooks.disable(deviceId, clock.now());
      log.warn({ deviceId }, 'webhook stopped: its endpoint answered 410 Gone');
    } catch (error) {
      log.error({ deviceId, error: messageOf(error) }, 'webhook could not be stopped');
    }
  }
}
