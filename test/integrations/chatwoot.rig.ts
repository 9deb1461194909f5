/** The bridge between the real service with phones of the sandbox and the played Chatwoot. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bridge, startBridge } from '../../integrations/chatwoot/src/bridge.ts';
import { type Config, readConfig } from '../../integrations/chatwoot/src/config.ts';
import { ada, addPhones, linkDevice } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import type { PlayedMessage } from './chatwoot.records.ts';
import { PlayedChatwoot } from './chatwoot.server.ts';

export const cyd = '4915550003333';
const webhookEvents = ['message.received', 'message.sent', 'message.updated', 'message.deleted'];

/** The way from the bridge to the service, on which answers can get lost. */
const startWay = async (target: string) => {
  const way = { url: '', lost: 0, losesAnswer: (_path: string): boolean => false, close: (): void => undefined };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const { authorization = '', 'content-type': type, 'idempotency-key': key } = headers;
      const answer = await fetch(target + url, {
        method,
        headers: {
          authorization,
          ...(type && { 'content-type': type }),
          ...(key && { 'idempotency-key': String(key) }),
        },
        ...(body.length > 0 && { body }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (way.losesAnswer(url)) {
        way.lost += 1;
        response.destroy();
      } else response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(bytes);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  way.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return way;
};

export const startRig = async () => {
  const chatwoot = new PlayedChatwoot();
  const warnings: string[] = [];
  const installation: Installation = await startInstallation();
  await addPhones(installation);
  await installation.phones.add(cyd, 'Cyd');
  const folder = await mkdtemp(join(tmpdir(), 'handset-chatwoot-test-'));
  const id = await linkDevice(installation, ada);
  await chatwoot.start();
  const way = await startWay(installation.handset.url);
  const elsewhere = { url: 'http://127.0.0.1:9/handset', events: webhookEvents, enabled: false };
  const { webhook, secret } = (await installation.api.post(`/devices/${id}/webhooks`, elsewhere)).body;
  const webhookPath = `/devices/${id}/webhooks/${webhook.id}`;
  const env = {
    PORT: '0',
    STATE_FILE: join(folder, 'state.db'),
    HANDSET_URL: way.url,
    HANDSET_KEY: ownerKey,
    HANDSET_DEVICE: String(id),
    HANDSET_WEBHOOK_SECRET: secret,
    CHATWOOT_URL: chatwoot.url,
    CHATWOOT_TOKEN: chatwoot.options.token,
    CHATWOOT_ACCOUNT: '1',
    CHATWOOT_INBOX: '3',
    CHATWOOT_WEBHOOK_SECRET: chatwoot.options.secret,
  };
  let config: Config = { ...readConfig(env), retryDelaysMs: [200, 200, 200, 200, 200] };
  let bridge: Bridge;
  const start = async (): Promise<void> => {
    bridge = await startBridge(config, (text) => warnings.push(text));
    config = { ...config, port: Number(new URL(bridge.url).port) };
  };
  await start();
  chatwoot.webhookUrl = `${bridge!.url}/chatwoot`;
  await installation.api.put(webhookPath, { url: `${bridge!.url}/handset`, enabled: true });
  return {
    chatwoot,
    warnings,
    installation,
    id,
    way,
    secret: secret as string,
    start,
    get bridge() {
      return bridge;
    },
    untilInChatwoot: (name: string, fits: (message: PlayedMessage) => boolean): Promise<PlayedMessage> =>
      eventually(`a message of ${name} in Chatwoot`, () => chatwoot.shown(name).find(fits)),
    untilStatus: (message: PlayedMessage, status: string): Promise<boolean> =>
      eventually(`message ${message.id} is ${status}`, () => message.status === status),
    deliveriesDone: (): Promise<boolean> =>
      eventually('all events are delivered', async () => {
        const { deliveries } = (await installation.api.get(`${webhookPath}/deliveries?state=pending`)).body;
        return deliveries.length === 0;
      }),
    async [Symbol.asyncDispose]() {
      await bridge.close();
      await chatwoot.close();
      way.close();
      await installation[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type Rig = Awaited<ReturnType<typeof startRig>>;
