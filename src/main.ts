/** Wires the service: takes the configuration, returns the running service. */
import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { systemClock } from './clock.ts';
import { type Config, version } from './config.ts';
import type { Clock } from './domain/clock.ts';
import type { KeptFiles } from './domain/messages/kept-media.ts';
import type { Network } from './domain/network.ts';
import type { Stores } from './domain/stores.ts';
import { type Cluster, peerAsker } from './http/forwarding/cluster.ts';
import { makeNodeAuth } from './http/wire/node-auth.ts';
import { qrDataUrl } from './http/wire/qr.ts';
import { renewTls } from './http/connections.ts';
import type { Services as ServerParts, Tls } from './http/wire/services.ts';
import { buildServer } from './http/server.ts';
import { type Logger, makeLog } from './log.ts';
import { type CertificateWatch, readCertificate, watchCertificate } from './main/certificate.ts';
import { openClientVersions } from './main/client-version.ts';
import { exposureWarning } from './main/exposure.ts';
import { watchLoop, watchClock } from './main/loop-watch.ts';
import { type Metrics, makeMetrics } from './main/metrics.ts';
import { openKeptFiles } from './main/kept-media.ts';
import { findSandbox, openNetwork, NetworkWatch } from './main/network.ts';
import { type GuardedOutbound, makeOutbound } from './outbound.ts';
import { makeService } from './service/service.ts';
import { openStore } from './store/open-sqlite.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { versionedNetwork } from './whatsapp/login/client-version/versioned-network.ts';
import type { SandboxAddress } from './whatsapp/connection/endpoint.ts';
import type { ProbePace } from './whatsapp/connection/probe.ts';
import { mediaUrlsBelow } from './domain/event-view.ts';
import { shrinkBufferPool } from './whatsapp/library/process.ts';

export interface Handset {
  readonly url: string;
  readonly bootstrapKey: string | null;
  readonly sandboxControlUrl: string | null;
  readonly warning: string | null;
  reload(): Promise<void>;
  /** Stops gracefully: requests, deliveries, sessions (without logging out), the store. */
  close(): Promise<void>;
}

const urlOf = ({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string =>
  `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const whyNotListening = ({ host, port }: Config): Readonly<Record<string, string>> => ({
  EADDRINUSE: `HANDSET_PORT: port ${port} on ${host} is in use by another program; choose another one`,
  EACCES: `HANDSET_PORT: this user may not listen on port ${port}; choose one from 1024`,
  EADDRNOTAVAIL: `HANDSET_HOST: ${host} is not an address of this machine`,
  ENOTFOUND: `HANDSET_HOST: ${host} is no address, and no name that this machine knows`,
  EAI_AGAIN: `HANDSET_HOST: the name ${host} cannot be looked up now`,
});

const listen = async (server: FastifyInstance, config: Config): Promise<void> => {
  try {
    await server.listen({ port: config.port, host: config.host });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = whyNotListening(config)[code];
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
};

interface Base {
  readonly config: Config;
  readonly stores: Stores;
  readonly sandbox: SandboxAddress | null;
  readonly probePace: ProbePace | undefined;
  readonly firstPreKeys: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tls: Tls | null;
  readonly keptFiles: KeptFiles | null;
}

const tokenKeyOf = (secret: string): Uint8Array => createHmac('sha256', secret).update('one-time tokens').digest();

/** The sandbox serves programs on this machine. */
const loopback = ['localhost', '127.0.0.0/8', '::1/128'];

const openOutbound = ({ allowPrivateUrls, allowedPrivateHosts, network }: Config): GuardedOutbound => {
  const allowList = network === null ? allowedPrivateHosts : [...allowedPrivateHosts, ...loopback];
  return makeOutbound({ allowPrivateUrls, allowList, userAgent: `Handset/${version}` });
};

/** `ownUrl` is the listening address once known. */
const wireService = (
  { config, stores, keptFiles, clock, log }: Base,
  network: Network,
  outbound: GuardedOutbound,
  ownUrl: () => string,
) => {
  const auth = stores.cluster === null ? null : makeNodeAuth(config.secret!, () => clock.now());
  const nodeUrl = (): string => config.nodeUrl ?? ownUrl();
  const node = auth === null ? undefined : { url: nodeUrl, askPeer: peerAsker(auth), leaseMs: config.leaseMs };
  const service = makeService({
    stores,
    network,
    outbound,
    qr: qrDataUrl,
    clock,
    log,
    options: config,
    keptFiles,
    tokenKey: config.secret === null ? undefined : tokenKeyOf(config.secret),
    node,
  });
  const mediaUrl = mediaUrlsBelow(() => `${config.publicUrl ?? ownUrl()}/v1`);
  const dispatcher = new Dispatcher({ ...stores, outbound, mediaUrl, clock, log });
  const { ownership } = service;
  const cluster: Cluster | undefined =
    auth === null || ownership === null
      ? undefined
      : {
          auth,
          url: nodeUrl,
          locate: (deviceId, fresh) => ownership.locate(deviceId, fresh),
          reachesDatabase: () => ownership.node.reaches(),
        };
  return { service, dispatcher, outbound, mediaUrl, cluster };
};

type Wired = ReturnType<typeof wireService>;

const wireServer = (
  { config, stores, clock, log, metrics, tls }: Base,
  wired: Wired,
  facts: Pick<ServerParts, 'clientVersion' | 'networkReach' | 'trouble'>,
  isStopping: () => boolean,
) =>
  buildServer({
    ...wired.service,
    sending: metrics.watchSending(wired.service.sending),
    metrics: metrics.registry,
    stores,
    cluster: wired.cluster,
    outbound: wired.outbound,
    mediaUrl: wired.mediaUrl,
    wakeDispatcher: () => wired.dispatcher.wake(),
    testWebhook: (webhook) => wired.dispatcher.test(webhook),
    readiness: async () => {
      const database = await stores.ping();
      return { ready: database && !isStopping(), checks: { database, stopping: isStopping() } };
    },
    ...facts,
    clock,
    log,
    options: { ...config, tls, sandboxControlUrl: config.network, version },
  });

const openStores = async (config: Config, clock: Clock, log: Logger): Promise<Stores> => {
  const { dataDir, secret, durability, databaseUrl, databaseConnections: connections } = config;
  const network = config.network === null ? 'whatsapp' : 'sandbox';
  if (databaseUrl === null) return openStore({ dataDir, secret, durability, network, clock, log });
  const { openPostgresStore } = await import('./store/open-postgres.ts');
  return openPostgresStore({ databaseUrl, dataDir, secret, durability, network, connections, clock, log });
};

interface Running {
  readonly url: string;
  readonly firstKey: string | null;
  readonly watch: CertificateWatch | null;
}

/** Time for running requests to finish; with the sessions' share a stop takes less than 10 s. */
const drainMs = 6_000;

const drain = async (server: FastifyInstance, clock: Clock): Promise<void> => {
  const timer = clock.after(drainMs, () => server.server.closeAllConnections());
  try {
    await server.close();
  } finally {
    timer.cancel();
  }
};

const run = async (base: Base, started: AsyncDisposableStack): Promise<Running> => {
  const { config, stores, metrics, clock, log } = base;
  let ownUrl = '';
  const client = openClientVersions(base);
  started.defer(() => client.close());
  const outbound = openOutbound(config);
  const { tunnel } = outbound;
  const network = await openNetwork({ ...base, tunnel });
  const wired = wireService(base, versionedNetwork(network, client.versions, log), outbound, () => ownUrl);
  const { service, dispatcher } = wired;
  const unsubscribe = stores.onEvents(dispatcher.committed);
  started.defer(unsubscribe);
  const bootstrap = () => service.users.bootstrap(config.bootstrapKey, config.bootstrapDeviceLimit);
  // If several nodes start on an empty database, only one creates the first user.
  const makeFirstUser = () => stores.cluster?.alone(bootstrap) ?? bootstrap();
  if (config.bootstrapKey !== null) await makeFirstUser();
  let stopping = false;
  const clientVersion = () => client.versions.status();
  const openSessions = (): number => service.supervisor.stats().sessions.open;
  const reach = new NetworkWatch({ reach: () => network.reach(), openSessions, clock, log });
  started.defer(() => reach.stop());
  const { unread } = network;
  const loop = watchLoop(clock, log);
  started.defer(loop.stop);
  const trouble = () => ({ loop: loop.report(), unread });
  const facts = { clientVersion, networkReach: () => reach.status, trouble };
  const server = await wireServer(base, wired, facts, () => stopping);
  metrics.watch({
    stores,
    dataDir: config.dataDir,
    clock,
    sessions: () => service.supervisor.stats(),
    deliveries: () => dispatcher.stats(),
    mediaFetcher: () => service.mediaFetcher.stats,
    clientVersion,
    loop: loop.report,
    unread,
  });
  await client.versions.start();
  started.defer(async () => {
    stopping = true;
    // While this node still answers for the devices.
    if (service.ownership !== null) await service.ownership.drain();
    await Promise.all([dispatcher.stop(), drain(server, clock).then(() => service.supervisor.stop())]);
  });
  await listen(server, config);
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  ownUrl = urlOf(config, port);
  dispatcher.start();
  await service.supervisor.start();
  reach.start();
  const renew = (certificate: Tls): void => renewTls(server.server, certificate);
  const watch = config.tls === null ? null : watchCertificate({ files: config.tls, renew, clock, log });
  started.defer(() => watch?.stop());
  // Created last, as a failed start would show it to nobody. A key set by the operator is not logged.
  const firstKey = config.bootstrapKey === null ? ((await makeFirstUser())?.secret ?? null) : null;
  return { url: ownUrl, firstKey, watch };
};

/** Throws a readable Error if it cannot start (a bad setting, a data folder in use, a port taken). */
export const startHandset = async (
  config: Config,
  given: {
    readonly clock?: Clock;
    readonly log?: Logger;
    readonly probePace?: ProbePace | undefined;
    /** Prekeys that a new device publishes; tests need few. */
    readonly firstPreKeys?: number | undefined;
    /** Wraps the stores; lets tests stop the process at a given step. */
    readonly watchStores?: (stores: Stores) => Stores;
  } = {},
): Promise<Handset> => {
  shrinkBufferPool();
  const clock = given.clock ?? systemClock;
  const log = given.log ?? makeLog(config.logLevel);
  const exposed = exposureWarning(config);
  if (exposed !== null) log.warn(exposed);
  const tls = config.tls === null ? null : await readCertificate(config.tls);
  const sandbox = await findSandbox(config);
  const opened = await openStores(config, clock, log);
  const metrics = makeMetrics();
  const stores = metrics.watchStores(given.watchStores?.(opened) ?? opened);
  const started = new AsyncDisposableStack();
  started.defer(() => stores.close());
  started.defer(() => metrics.stop());
  try {
    const keptFiles = await openKeptFiles(config, stores);
    const { probePace, firstPreKeys } = given;
    const base = { config, stores, sandbox, probePace, firstPreKeys, clock, log, metrics, tls, keptFiles };
    const { url, firstKey, watch } = await run(base, started);
    started.defer(watchClock(clock, log));
    return {
      url,
      bootstrapKey: firstKey,
      sandboxControlUrl: config.network,
      warning: exposed,
      reload: async () => watch?.look(),
      close: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
};
