/** The only wiring: configuration in, a running service out. */
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Clock } from './domain/clock.ts';
import type { Stores } from './domain/stores.ts';
import { messageOf } from './errors.ts';
import { qrDataUrl } from './http/qr.ts';
import { buildServer } from './http/server.ts';
import { type Logger, makeLog } from './log.ts';
import { makeOutbound } from './outbound.ts';
import { makeService } from './service/service.ts';
import { openStore } from './store/open.ts';
import { makeDispatcher } from './webhooks/dispatcher.ts';
import { type Endpoint, realEndpoint, sandboxEndpoint } from './whatsapp/endpoint.ts';
import { makeWhatsApp } from './whatsapp/network.ts';
import type { ProbePace } from './whatsapp/probe.ts';

export const version = '0.1.0';

export interface Handset {
  /** `http://host:port`, where it listens. */
  readonly url: string;
  /** The first user's key: only on the first start of an empty store, and only where it was made here. */
  readonly bootstrapKey: string | null;
  readonly sandboxControlUrl: string | null;
  /** Stops gracefully: requests, deliveries, sessions (without logout), the store. */
  close(): Promise<void>;
}

interface SandboxAddress {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
}

const isSandboxAddress = (body: unknown): body is SandboxAddress =>
  typeof body === 'object' && body !== null && 'socketUrl' in body && 'rootKey' in body && 'mediaCa' in body;

/** Asks a running sandbox where its parts are (sandbox.md, Running it). */
const findSandbox = async (controlUrl: string): Promise<SandboxAddress> => {
  try {
    const answer = await fetch(controlUrl, { signal: AbortSignal.timeout(10_000) });
    const body: unknown = await answer.json();
    if (!isSandboxAddress(body)) throw new Error('it is something else');
    return body;
  } catch (error) {
    throw new Error(`HANDSET_NETWORK: no sandbox answers at ${controlUrl} (${messageOf(error)})`, { cause: error });
  }
};

const chooseEndpoint = async (config: Config): Promise<Endpoint> =>
  config.network === null ? realEndpoint() : sandboxEndpoint(await findSandbox(config.network));

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const portInUse = (config: Config, error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new Error(
        `HANDSET_PORT: port ${config.port} on ${config.host} is in use by another program; choose another one`,
        {
          cause: error,
        },
      )
    : error;

/** What has been started, and is to be stopped in the reverse order. */
class Started {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(stop: () => Promise<unknown>): void {
    this.#steps.push(stop);
  }

  async stop(): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) await step();
  }
}

interface Base {
  readonly config: Config;
  readonly stores: Stores;
  readonly endpoint: Endpoint;
  readonly probePace: ProbePace | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The use cases over the real driver, store and way out. */
const wireService = ({ config, stores, endpoint, probePace, clock, log }: Base) => {
  const outbound = makeOutbound({ allowPrivateUrls: config.allowPrivateUrls, userAgent: `Handset/${version}` });
  const network = makeWhatsApp({
    credentials: stores.credentials,
    messages: stores.messages,
    endpoint,
    baseUrl: `${config.publicUrl ?? urlOf(config.host, config.port)}/v1`,
    probePace,
    clock,
    log,
  });
  const service = makeService({ stores, network, outbound, qr: qrDataUrl, clock, log, options: config });
  const dispatcher = makeDispatcher({ ...stores, outbound, clock, log });
  return { service, dispatcher, outbound };
};

type Wired = ReturnType<typeof wireService>;

const wireServer = ({ config, stores, clock, log }: Base, wired: Wired, isStopping: () => boolean) =>
  buildServer({
    ...wired.service,
    stores,
    outbound: wired.outbound,
    wakeDispatcher: () => wired.dispatcher.wake(),
    testWebhook: (deviceId) => wired.dispatcher.test(deviceId),
    readiness: async () => {
      const database = await stores.ping();
      return { ready: database && !isStopping(), checks: { database, stopping: isStopping() } };
    },
    clock,
    log,
    options: { ...config, sandboxControlUrl: config.network, version },
  });

/** Starts everything over an open store, in the order in which it may be used; gives the address and the first key. */
const run = async (base: Base, started: Started): Promise<{ url: string; firstKey: string | null }> => {
  const { config, stores } = base;
  const wired = wireService(base);
  const { service, dispatcher } = wired;
  const unsubscribe = stores.onEvents(() => dispatcher.wake());
  started.add(async () => unsubscribe());
  const first = await service.users.bootstrap(config.bootstrapKey, config.bootstrapDeviceLimit);
  let stopping = false;
  const server = await wireServer(base, wired, () => stopping);
  started.add(() => dispatcher.stop());
  started.add(() => service.supervisor.stop());
  started.add(async () => {
    stopping = true;
    await server.close();
  });
  await server.listen({ port: config.port, host: config.host });
  dispatcher.start();
  await service.supervisor.start();
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  // A key that the operator set is theirs already, and need not stand in a log.
  const firstKey = config.bootstrapKey === null ? (first?.secret ?? null) : null;
  return { url: urlOf(config.host, port), firstKey };
};

/** Starts the service. Throws an Error in plain words when it cannot (a bad setting, a data folder in use, a port taken). */
export const startHandset = async (
  config: Config,
  given: {
    readonly clock?: Clock;
    readonly log?: Logger;
    readonly probePace?: ProbePace | undefined;
    /** Stands between the store and its users: how tests stop the process at a given step. */
    readonly watchStores?: (stores: Stores) => Stores;
  } = {},
): Promise<Handset> => {
  const clock = given.clock ?? systemClock;
  const log = given.log ?? makeLog(config.logLevel);
  const endpoint = await chooseEndpoint(config);
  const opened = await openStore({ dataDir: config.dataDir, secret: config.secret, clock, log });
  const stores = given.watchStores?.(opened) ?? opened;
  const started = new Started();
  started.add(() => stores.close());
  try {
    const { url, firstKey } = await run({ config, stores, endpoint, probePace: given.probePace, clock, log }, started);
    return { url, bootstrapKey: firstKey, sandboxControlUrl: config.network, close: () => started.stop() };
  } catch (error) {
    await started.stop();
    throw portInUse(config, error);
  }
};
