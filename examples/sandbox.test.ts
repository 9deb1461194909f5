/** A complete integration test: a sandbox network, a device linked to a phone, and your webhook handler. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';

/** The checkout of Handset; this file may be in your own repository. */
const home = process.env['HANDSET_HOME'] ?? join(import.meta.dirname, '..');
const key = `hs_${'A'.repeat(43)}`;
const shop = '4915550003333';
const customer = '4915550004444';

let dataDir: string;
let service: ChildProcess;
let handset: string;
let sandbox: string;

const call = async <T>(url: string, body?: unknown): Promise<T> => {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${url}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as T;
};

// Your integration: it replies to every text with a ticket number.

interface Received {
  readonly type: string;
  readonly deviceId: number;
  readonly data: { readonly message: { readonly chat: string; readonly text: string } };
}

const tickets: string[] = [];
let secret = '';

const handle = async (headers: Record<string, string>, body: string): Promise<void> => {
  new Webhook(secret).verify(body, headers);
  const event: Received = JSON.parse(body);
  if (event.type !== 'message.received') return;
  const { chat, text } = event.data.message;
  tickets.push(text);
  await call(`${handset}/devices/${event.deviceId}/messages/text`, { to: chat, message: `Ticket ${tickets.length}` });
};

const endpoint: Server = createServer(async (request, response) => {
  try {
    await handle(request.headers as Record<string, string>, Buffer.concat(await Array.fromAsync(request)).toString());
    response.writeHead(204).end();
  } catch {
    response.writeHead(500).end();
  }
});

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'integration-'));
  service = spawn(process.execPath, [join(home, 'src/cli/serve.js'), '--sandbox'], {
    env: {
      ...process.env,
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: dataDir,
      HANDSET_BOOTSTRAP_KEY: key,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    service.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (/Handset listens on \S+[^]*\/sandbox\s/.test(output)) resolve();
    });
    service.once('exit', () => reject(new Error(`Handset did not start: ${output}`)));
  });
  handset = `${/Handset listens on (\S+)/.exec(output)![1]}/v1`;
  sandbox = /http:\S+\/sandbox/.exec(output)![0];
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
});

after(async () => {
  endpoint.close();
  service.kill();
  await new Promise((resolve) => service.once('exit', resolve));
  await rm(dataDir, { recursive: true, force: true });
});

test('a customer writes, and gets a ticket', async () => {
  await call(`${sandbox}/phones`, { number: shop, name: 'Shop' });
  await call(`${sandbox}/phones`, { number: customer, name: 'Customer' });

  const webhookUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`;
  const created = { name: 'Shop', webhookUrl };
  const { device } = await call<{ device: { id: number; qr: string } }>(`${handset}/devices`, created);
  const { webhook } = await call<{ webhook: { secret: string } }>(`${handset}/devices/${device.id}/webhook`);
  secret = webhook.secret;
  await call(`${sandbox}/phones/${shop}/scan`, { qr: device.qr });

  await call(`${sandbox}/phones/${customer}/messages`, { to: shop, text: 'My parcel is late' });

  const { messages } = await call<{ messages: { text: string }[] }>(
    `${sandbox}/phones/${customer}/messages?after=1&waitMs=30000`,
  );
  assert.deepEqual(tickets, ['My parcel is late']);
  assert.equal(messages[0]?.text, 'Ticket 1');
});
