/** The only wiring: configuration in, a running service out. */
import type { AddressInfo } from 'node:net';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Clock } from './domain/clock.ts';
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

/** Asks a running sandbox where its parts are (sandbox.md, Running it). */
const findSandbox = async (controlUrl: string): Promise<SandboxAddress> => {
  try {
    const answer = await fetch(controlUrl, { signal: AbortSignal.timeout(10_000) });
    return (await answer.json()) as SandboxAddress;
  } catch (error) {
    throw new Error(`HANDSET_NETWORK: no sandbox answers at ${controlUrl} (${messageOf(error)})`, { cause: error });
  }
};

const chooseEndpoint = async (config: Config): Promise<Endpoint> =>
  config.network === null ? realEndpoint() : sandboxEndpoint(await findSandbox(config.network));

const portInUse = (config: Config, error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new Error(
        `HANDSET_PORT: port ${config.port} on ${config.host} is in use by another program; choose another one`,
        {
          cause: error,
        },
      )
    : error;

/** Starts the service. Throws an Error in plain words when it cannot (a bad setting, a data folder in use, a port taken). */
export const startHandset = async (
  config: Config,
  given: { readonly clock?: Clock; readonly log?: Logger } = {},
): Promise<Handset> => {
  const clock = given.clock ?? systemClock;
  const log = given.log ?? makeLog(config.logLevel);
  const endpoint = await chooseEndpoint(config);
  const stores = await openStore({ dataDir: config.dataDir, secret: config.secret, clock, log });
  const undo: (() => Promise<unknown>)[] = [() => stores.close()];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const outbound = makeOutbound({
      allowPrivateUrls: config.allowPrivateUrls,
      userAgent: `Handset/${version}`,
      clock,
    });
    undo.push(() => outbound.close());
    const baseUrl = config.publicUrl ?? `http://${config.host}:${config.port}`;
    const network = makeWhatsApp({
      credentials: stores.credentials,
      messages: stores.messages,
      endpoint,
      baseUrl: `${baseUrl}/v1`,
      clock,
      log,
    });
    const service = makeService({
      stores,
      network,
      outbound,
      qr: qrDataUrl,
      clock,
      log,
      options: {
        requestTimeoutMs: config.requestTimeoutMs,
        connectConcurrency: config.connectConcurrency,
        eventRetentionMs: config.eventRetentionMs,
        messageRetentionMs: config.messageRetentionMs,
      },
    });
    const dispatcher = makeDispatcher({
      outbox: stores.outbox,
      webhooks: stores.webhooks,
      outbound,
      clock,
      log,
    });
    const unsubscribe = stores.onEvents(() => dispatcher.wake());
    undo.push(async () => unsubscribe());
    const first = await service.users.bootstrap(config.bootstrapKey, config.bootstrapDeviceLimit);
    let stopping = false;
    const server = await buildServer({
      ...service,
      stores,
      outbound,
      wakeDispatcher: () => dispatcher.wake(),
      testWebhook: (deviceId) => dispatcher.test(deviceId),
      readiness: async () => {
        const database = await stores.ping();
        return { ready: database && !stopping, checks: { database, stopping } };
      },
      clock,
      log,
      options: {
        rateLimit: config.rateLimit,
        requestTimeoutMs: config.requestTimeoutMs,
        publicUrl: config.publicUrl,
        sandboxControlUrl: config.network,
        version,
      },
    });
    undo.push(() => dispatcher.stop());
    undo.push(() => service.supervisor.stop());
    undo.push(async () => {
      stopping = true;
      await server.close();
    });
    await server.listen({ port: config.port, host: config.host });
    dispatcher.start();
    await service.supervisor.start();
    const { port } = server.server.address() as AddressInfo;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return {
      url: `http://${host}:${port}`,
      // A key that the operator set is theirs already, and need not stand in a log.
      bootstrapKey: config.bootstrapKey === null ? (first?.secret ?? null) : null,
      sandboxControlUrl: config.network,
      close,
    };
  } catch (error) {
    await close();
    throw portInUse(config, error);
  }
};
