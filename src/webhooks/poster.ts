/** Takes claimed deliveries through their attempts. */
import type { Clock } from '../domain/clock.ts';
import type { DueDelivery, Webhook } from '../domain/delivery.ts';
import { envelopeOf } from '../domain/event.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { WebhookStore } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Posted, isGone, postSigned, resultOf } from './attempt.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
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

type Reachable = Webhook & { readonly url: string };

const isReachable = (webhook: Webhook): webhook is Reachable => webhook.url !== null && webhook.disabledAt === null;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

export class Poster {
  readonly #parts: PosterParts;
  readonly #out = new Set<Promise<void>>();
  readonly #counts = { pending: 0, delivered: 0, failed: 0 };

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  /** Attempts since the start, by outcome. */
  counts(): { readonly delivered: number; readonly retried: number; readonly failed: number } {
    const { delivered, pending, failed } = this.#counts;
    return { delivered, retried: pending, failed };
  }

  /** Posts what was claimed until `leaseUntil`; the webhook of each device is read once for all of its posts. */
  post(claimed: readonly DueDelivery[], leaseUntil: number): void {
    for (const [deviceId, deliveries] of Map.groupBy(claimed, (due) => due.deviceId)) {
      const webhook = this.#readWebhook(deviceId);
      for (const due of deliveries) {
        const ended: Promise<void> = this.#launch(due, leaseUntil, webhook).then(() => void this.#out.delete(ended));
        this.#out.add(ended);
      }
    }
  }

  /** Resolves when the posts that are out have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#out);
  }

  /** Never throws. */
  async #launch(due: DueDelivery, leaseUntil: number, webhook: Promise<Reachable | null>): Promise<void> {
    const { log, endpoints, settled } = this.#parts;
    const endpoint = endpoints.begin(due.deviceId);
    try {
      const target = await webhook;
      if (target !== null && this.#isTimely(endpoint, leaseUntil)) await this.#attempt(endpoint, due, target);
    } catch (error) {
      log.error({ deviceId: due.deviceId, error: messageOf(error) }, 'webhook attempt failed unexpectedly');
    }
    endpoints.end(endpoint);
    settled();
  }

  /** False for a delivery whose lease is too short for an attempt, or whose endpoint has tripped since the claim: the outbox offers it again. */
  #isTimely(endpoint: Endpoint, leaseUntil: number): boolean {
    const { clock, options } = this.#parts;
    const now = clock.now();
    return leaseUntil - now >= options.timeoutMs + leaseMarginMs && now >= endpoint.pausedUntil;
  }

  async #attempt(endpoint: Endpoint, due: DueDelivery, webhook: Reachable): Promise<void> {
    const { clock, log, options, outbound, recorder } = this.#parts;
    const body = JSON.stringify(envelopeOf(due.event));
    const post = { outbound, now: () => clock.now(), timeoutMs: options.timeoutMs };
    const posted = await postSigned(post, webhook, due.event.id, body);
    this.#learn(endpoint, posted);
    if (isGone(posted)) await this.#stop(webhook);
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
  async #readWebhook(deviceId: number): Promise<Reachable | null> {
    const { webhooks, log } = this.#parts;
    try {
      const webhook = await webhooks.get(deviceId);
      return isReachable(webhook) ? webhook : null;
    } catch (error) {
      log.debug({ deviceId, error: messageOf(error) }, 'the webhook of a delivery cannot be read');
      return null;
    }
  }

  #learn(endpoint: Endpoint, posted: Posted): void {
    const { clock, log } = this.#parts;
    if (posted.answer !== null) return endpoint.answered();
    if (!endpoint.silent(clock.now())) return;
    log.warn({ deviceId: endpoint.deviceId, error: posted.error }, 'webhook endpoint does not answer');
  }

  /** After a 410; unless the URL was changed meanwhile. */
  async #stop({ deviceId, url }: Reachable): Promise<void> {
    const { webhooks, clock, log } = this.#parts;
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
