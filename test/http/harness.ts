/** The real HTTP server on a real socket, with the real service and the real store, over a scripted network. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { mediaUrlsBelow } from '../../src/domain/event-view.ts';
import type { Outbound } from '../../src/domain/outbound.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { HandsetError, invalidRequest } from '../../src/errors.ts';
import type { Cluster } from '../../src/http/forwarding/cluster.ts';
import type { HttpOptions, Services, WebhookTest } from '../../src/http/wire/services.ts';
import { qrDataUrl } from '../../src/http/wire/qr.ts';
import { buildServer } from '../../src/http/server.ts';
import { makeService, type Service } from '../../src/service/service.ts';
import { makeOutbound } from '../../src/outbound.ts';
import { type Api, api } from '../support/api.ts';
import { openTestStore } from '../support/store.ts';
import { type ScriptedNetwork, scriptedNetwork } from './scripted-network.ts';

export interface Harness extends AsyncDisposable {
  readonly api: Api;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  readonly userId: number;
  readonly network: ScriptedNetwork;
  readonly stores: Stores;
  readonly dataDir: string;
  readonly service: Service;
  readonly server: FastifyInstance;
  readonly log: readonly string[];
  readonly wakes: { count: number };
  webhookTest: WebhookTest;
  ready: boolean;
  /** Another user with a key of its own. */
  user(name: string, deviceLimit?: number): Promise<{ readonly id: number; readonly api: Api }>;
  /** A device that waits for its QR to be scanned. */
  device(): Promise<number>;
  /** A device that is open. */
  linked(): Promise<number>;
}

export interface Settings extends Partial<HttpOptions> {
  readonly clock?: Clock;
  /** As one of several nodes. */
  readonly cluster?: Cluster;
}

/** Only what leaves the machine is played: every URL is fine, but for the ones that a test names as bad. */
const playedOutbound: Outbound = {
  async check(url, member) {
    if (!/^https?:\/\//.test(url)) throw invalidRequest(`${member} must be an http:// or https:// URL`);
  },
  checkProxy: makeOutbound({ allowPrivateUrls: true, userAgent: '' }).checkProxy,
  post: async () => ({ status: 200, headers: {}, excerpt: '' }),
  async download(url) {
    if (url.endsWith('large.png')) throw new HandsetError('PayloadTooLarge', 'Request payload too large');
    return Buffer.from(url.endsWith('.png') ? [0x89, 0x50, 0x4e, 0x47, 1, 2, 3] : [1, 2, 3]);
  },
  async *stream(url, limits) {
    yield this.download(url, limits);
  },
};

const optionsOf = (settings: Settings): HttpOptions => ({
  rateLimit: 100_000,
  requestTimeoutMs: 10_000,
  publicUrl: null,
  sandboxControlUrl: null,
  version: '0.0.0',
  logRequests: true,
  ...settings,
});

export const startHttp = async (settings: Settings = {}): Promise<Harness> => {
  const clock = settings.clock ?? systemClock;
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const store = await openTestStore({ clock });
  const { stores } = store;
  const network = scriptedNetwork(() => stores);
  const options = optionsOf(settings);
  const service = makeService({
    stores,
    network,
    outbound: playedOutbound,
    qr: qrDataUrl,
    clock,
    log,
    options: {
      requestTimeoutMs: options.requestTimeoutMs,
      maxMediaBytes: 1_048_576,
      connectConcurrency: 8,
      eventRetentionMs: 86_400_000,
      messageRetentionMs: 86_400_000,
    },
  });
  const wakes = { count: 0 };
  const state = { webhookTest: { status: 204, durationMs: 12.3, error: null } as WebhookTest, ready: true };
  const parts: Services = {
    ...service,
    stores,
    outbound: playedOutbound,
    mediaUrl: mediaUrlsBelow(() => 'https://handset.test/v1'),
    wakeDispatcher: () => void (wakes.count += 1),
    testWebhook: async () => state.webhookTest,
    readiness: async () => ({ ready: state.ready, checks: { database: state.ready } }),
    clock,
    log,
    options,
    ...(settings.cluster === undefined ? {} : { cluster: settings.cluster }),
  };
  const server = await buildServer(parts);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const user = async (name: string, deviceLimit = 10) => {
    const { id } = await service.users.createUser(name, deviceLimit);
    const { secret } = await service.users.createKey(id, { name: 'test', expiresAt: null });
    return { id, api: api(`${url}/v1`, secret) };
  };
  const owner = await user('owner');
  const device = async (): Promise<number> => {
    const { body } = await owner.api.post('/devices');
    return body.device.id;
  };
  return {
    api: owner.api,
    userId: owner.id,
    url,
    port,
    network,
    stores,
    dataDir: store.dataDir,
    service,
    server,
    log: lines,
    wakes,
    get webhookTest() {
      return state.webhookTest;
    },
    set webhookTest(result) {
      state.webhookTest = result;
    },
    get ready() {
      return state.ready;
    },
    set ready(ready) {
      state.ready = ready;
    },
    user,
    device,
    async linked() {
      const id = await device();
      await network.link(id, `49151${String(1_000_000 + id)}`);
      return id;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await service.supervisor.stop();
      await store.close();
    },
  };
};

/** Runs a test against a fresh installation. */
export const withHttp =
  (run: (http: Harness) => Promise<void>, settings: Settings = {}) =>
  async (): Promise<void> => {
    await using http = await startHttp(settings);
    await run(http);
  };
