/** Drains the outbox (docs/spec/webhooks.md, Retries and Order): claims what is due, posts it signed, records what came of it. */
import type { Clock } from '../domain/clock.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { Outbox, WebhookStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { Drain } from './drain.ts';
import { Endpoints } from './endpoints.ts';
import { Poster } from './poster.ts';
import { Recorder } from './recorder.ts';
import { type TestOutcome, postTest } from './test-event.ts';
import { Wakeup } from './wakeup.ts';

export interface DispatcherOptions {
  /** How long an endpoint may take to answer. */
  readonly timeoutMs: number;
  /** Posts at once, over all devices. */
  readonly maxInFlight: number;
  /** Posts at once to one device's endpoint. */
  readonly maxPerDevice: number;
  /** After so many failures to answer in a row an endpoint gets single probes. */
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

export interface Dispatcher {
  start(): void;
  /** Waits for the posts that are out, though not for long; what is unfinished is posted after the next start. */
  stop(): Promise<void>;
  /** Call this after every commit that wrote deliveries: something may be due. */
  wake(): void;
  /** Posts a signed test event at once. Throws InvalidRequest when the device has no URL. */
  test(deviceId: number): Promise<TestOutcome>;
  stats(): DispatcherStats;
}

const defaults: DispatcherOptions = {
  timeoutMs: 15_000,
  maxInFlight: 512,
  maxPerDevice: 64,
  tripAfter: 5,
  stopMs: 5000,
  random: Math.random,
};

/** Posts at once to an endpoint of which nothing is known yet. */
const firstWindow = 16;

const after = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));

export const makeDispatcher = (parts: DispatcherParts): Dispatcher => {
  const { outbox, clock, log } = parts;
  const options = { ...defaults, ...parts.options };
  const { maxPerDevice: most, tripAfter, timeoutMs } = options;
  const wakeup = new Wakeup(clock);
  const signal = (): void => wakeup.signal();
  const endpoints = new Endpoints({ most, first: Math.min(firstWindow, most), tripAfter }, options.maxInFlight);
  const recorder = new Recorder({ outbox, clock, log, writing: () => drain.recording(), written: signal });
  // Otherwise it is the record of a post that makes more due, not its end.
  const settled = (): void => {
    if (drain.masked) wakeup.signal();
  };
  const poster = new Poster({ ...parts, options, endpoints, recorder, settled });
  // Twice an attempt: its record has time, and a crash delays nothing for long.
  const drain = new Drain({ outbox, clock, log, wakeup, endpoints, recorder, poster, leaseMs: 2 * timeoutMs });
  return {
    start: () => drain.start(),
    async stop() {
      await drain.stop();
      await Promise.race([poster.idle(), after(clock, options.stopMs)]);
      await recorder.end();
    },
    wake: () => wakeup.signal(),
    async test(deviceId) {
      const outcome = await postTest(parts, deviceId, timeoutMs);
      if (outcome.status !== null) {
        endpoints.revive(deviceId);
        wakeup.signal();
      }
      return outcome;
    },
    stats: () => ({
      running: endpoints.running,
      tripped: endpoints.tripped,
      ...poster.counts(),
    }),
  };
};
