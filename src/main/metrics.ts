/** Metrics of sends, sessions, the outbox, the event loop, the process and the database. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ClientVersionStatus } from '../domain/client-version.ts';
import type { Clock } from '../domain/clock.ts';
import type { Stores } from '../domain/stores.ts';
import { HandsetError } from '../errors.ts';
import type { FetcherStats } from '../service/media/fetcher.ts';
import type { ActionToSend, FileToSend, MessageToSend, Sending } from '../service/sending/sending.ts';
import type { DeviceScope } from '../service/sessions/runtimes.ts';
import type { SupervisorStats } from '../service/sessions/supervisor.ts';
import type { DispatcherStats } from '../webhooks/dispatcher.ts';
import { clientVersionMetrics } from './client-version.ts';
import { type LoopFacts, loopMetrics } from './loop-watch.ts';
import { keptMediaMetrics } from './kept-media.ts';
import { read } from './read-metric.ts';

/** Above this many pending deliveries the depth is a lower bound: counting a million would block the event loop. */
const maxCounted = 10_000;
/** Faster scrapes get the previous values. */
const freshMs = 1_000;

export interface Watched extends LoopFacts {
  readonly stores: Stores;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly sessions: () => SupervisorStats;
  readonly deliveries: () => DispatcherStats;
  readonly mediaFetcher: () => FetcherStats;
  readonly clientVersion: () => ClientVersionStatus;
}

export interface Metrics {
  readonly registry: Registry;
  watchSending(sending: Sending): Sending;
  watchStores(stores: Stores): Stores;
  watch(watched: Watched): void;
  stop(): void;
}

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
};

const processMetrics = (registry: Registry): (() => void) => {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  for (const [name, percentile] of [
    ['p50', 50],
    ['p99', 99],
  ] as const) {
    read(registry, `handset_event_loop_delay_${name}_seconds`, `Event-loop delay since the last look, ${name}`, () => {
      const value = delay.percentile(percentile) / 1e9;
      if (percentile === 99) delay.reset();
      return Number.isFinite(value) ? value : 0;
    });
  }
  read(registry, 'process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  read(registry, 'process_cpu_seconds_total', 'CPU time of the process', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  read(registry, 'process_uptime_seconds', 'How long the process runs', () => process.uptime());
  return () => delay.disable();
};

const sessionMetrics = (registry: Registry, { sessions }: Watched): void => {
  registry.registerMetric(
    new Gauge({
      name: 'handset_sessions',
      help: 'Devices with a session in this process, by its state',
      labelNames: ['state'],
      registers: [],
      collect() {
        for (const [state, count] of Object.entries(sessions().sessions)) this.set({ state }, count);
      },
    }),
  );
  read(registry, 'handset_reconnects_total', 'Lost links that came back', () => sessions().reconnects);
  const stalled = 'Backlogs that the network did not finish within 60 s of silence';
  read(registry, 'handset_backlogs_stalled_total', stalled, () => sessions().stalledBacklogs);
};

const outboxMetrics = (registry: Registry, { stores, clock, deliveries }: Watched): void => {
  let known = { at: -Infinity, depth: Promise.resolve({ pending: 0, oldestAt: null as number | null }) };
  const depth = () => {
    if (performance.now() - known.at > freshMs)
      known = { at: performance.now(), depth: stores.outbox.depth(maxCounted) };
    return known.depth;
  };
  const counted = `; a lower bound from ${maxCounted} deliveries on`;
  read(registry, 'handset_outbox_depth', `Webhook deliveries that wait${counted}`, async () => (await depth()).pending);
  read(registry, 'handset_outbox_age_seconds', `Age of the oldest delivery that waits${counted}`, async () => {
    const { oldestAt } = await depth();
    return oldestAt === null ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000);
  });
  read(registry, 'handset_deliveries_running', 'Webhook posts that are out now', () => deliveries().running);
  read(registry, 'handset_endpoints_tripped', 'Webhook endpoints that do not answer', () => deliveries().tripped);
};

const databaseMetrics = (registry: Registry, { stores, dataDir }: Watched): void => {
  const file = (name: string) => () => sizeOf(join(dataDir, name));
  read(registry, 'handset_database_bytes', 'Size of the database file', file('handset.db'));
  read(registry, 'handset_database_wal_bytes', 'Size of its write-ahead log', file('handset.db-wal'));
  read(registry, 'handset_database_up', '1 while the database answers', async () => ((await stores.ping()) ? 1 : 0));
};

const outcomeOf = (error: unknown): string => (error instanceof HandsetError ? error.name : 'Internal');

const sendMetrics = (registry: Registry): Metrics['watchSending'] => {
  const registers = [registry];
  const sends = new Counter({
    name: 'handset_sends_total',
    help: 'Sends, by kind and by how they ended',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'handset_send_duration_seconds',
    help: "Time from the request to the network's acknowledgement",
    labelNames: ['kind'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  type Request = MessageToSend | FileToSend | ActionToSend;
  const counted =
    <R extends Request, A extends unknown[], T>(send: (scope: DeviceScope, request: R, ...rest: A) => Promise<T>) =>
    async (scope: DeviceScope, request: R, ...rest: A): Promise<T> => {
      const began = performance.now();
      const asked: Request = request;
      const kind = 'content' in asked ? asked.content.kind : 'file' in asked ? asked.file.kind : 'earlier';
      try {
        const result = await send(scope, request, ...rest);
        sends.inc({ kind, outcome: 'accepted' });
        durations.observe({ kind }, (performance.now() - began) / 1000);
        return result;
      } catch (error) {
        sends.inc({ kind, outcome: outcomeOf(error) });
        throw error;
      }
    };
  return (sending) => ({
    ...sending,
    send: counted(sending.send),
    sendAction: counted(sending.sendAction),
    sendFile: counted(sending.sendFile),
  });
};

const storeMetrics = (registry: Registry): Metrics['watchStores'] => {
  const registers = [registry];
  const events = new Counter({ name: 'handset_events_total', help: 'Events written', labelNames: ['type'], registers });
  const deliveries = new Counter({
    name: 'handset_deliveries_total',
    help: 'Attempts to deliver, by outcome (delivered, pending: will be tried again, failed) and webhook (primary or additional)',
    labelNames: ['outcome', 'webhook'],
    registers,
  });
  const commits = new Histogram({
    name: 'handset_database_commit_seconds',
    help: 'Time that a protocol step waits for its commit',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
    registers,
  });
  const failures = new Counter({
    name: 'handset_database_failures_total',
    help: 'Protocol steps that the database did not take',
    registers,
  });
  return (stores) => ({
    ...stores,
    changes: {
      ...stores.changes,
      async commit(...call) {
        const began = performance.now();
        try {
          const written = await stores.changes.commit(...call);
          // Counted here first, as a labelled counter costs more than a number.
          const counts = new Map<string, number>();
          for (const { event } of written) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
          for (const [type, count] of counts) events.inc({ type }, count);
          commits.observe((performance.now() - began) / 1000);
          return written;
        } catch (error) {
          if (!(error instanceof HandsetError)) failures.inc();
          throw error;
        }
      },
    },
    outbox: {
      ...stores.outbox,
      async record(results) {
        const recovered = await stores.outbox.record(results);
        for (const webhook of ['primary', 'additional']) {
          const counts = new Map<string, number>();
          for (const { state, isPrimary } of results)
            if (isPrimary === (webhook === 'primary')) counts.set(state, (counts.get(state) ?? 0) + 1);
          for (const [outcome, count] of counts) deliveries.inc({ outcome, webhook }, count);
        }
        return recovered;
      },
    },
  });
};

export const makeMetrics = (): Metrics => {
  const registry = new Registry();
  const stop = processMetrics(registry);
  return {
    registry,
    watchSending: sendMetrics(registry),
    watchStores: storeMetrics(registry),
    watch(watched) {
      sessionMetrics(registry, watched);
      outboxMetrics(registry, watched);
      databaseMetrics(registry, watched);
      keptMediaMetrics(registry, watched);
      clientVersionMetrics(registry, watched.clientVersion);
      loopMetrics(registry, watched);
    },
    stop,
  };
};
