/** The recipes against the running service: Chatwoot's and Node-RED's sides are played, as their documentation describes them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';

const docs = join(import.meta.dirname, '../../docs');

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: Record<string, unknown>;
}

/** Answers as Chatwoot's application API does, and remembers what it was asked. */
const startChatwoot = async (): Promise<{ url: string; requests: Request[]; server: Server }> => {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { method = '', url = '' } = request;
      requests.push({ method, url, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) });
      const answer = url.includes('/contacts/search')
        ? { payload: [] }
        : url.endsWith('/contacts')
          ? { payload: { contact: { id: 5 } } }
          : { id: 7 };
      const allowed = request.headers.api_access_token === 'chatwoot-token';
      response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, server };
};

describe('the recipes', () => {
  let installation: Installation;
  let id: number;
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation, ada);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('Chatwoot: what people write becomes a conversation, and what agents answer is sent once', async (t) => {
    const chatwoot = await startChatwoot();
    const { webhook } = (await installation.api.get(`/devices/${id}/webhook`)).body;
    const bridge: ChildProcess = spawn(process.execPath, [join(docs, 'examples/chatwoot-bridge.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PORT: '0',
        CHATWOOT_URL: chatwoot.url,
        CHATWOOT_ACCOUNT: '1',
        CHATWOOT_INBOX: '3',
        CHATWOOT_TOKEN: 'chatwoot-token',
        BRIDGE_TOKEN: 'bridge-token',
        HANDSET_URL: installation.handset.url,
        HANDSET_KEY: ownerKey,
        HANDSET_DEVICE: String(id),
        WEBHOOK_SECRET: webhook.secret,
      },
    });
    t.after(() => {
      bridge.kill();
      chatwoot.server.close();
      chatwoot.server.closeAllConnections();
    });
    const [line] = (await once(bridge.stdout!, 'data')) as [Buffer];
    const base = `http://127.0.0.1:${/listening on (\d+)/.exec(String(line))![1]}`;
    await installation.api.put(`/devices/${id}`, { webhookUrl: `${base}/handset` });

    await installation.phones.write(bob, { to: ada, text: 'Is it open today?' });
    const message = await eventually('the message in Chatwoot', () =>
      chatwoot.requests.find(({ url }) => url === '/api/v1/accounts/1/conversations/7/messages'),
    );
    assert.deepEqual(message.body, { content: 'Is it open today?', message_type: 'incoming' });
    const { jid } = await installation.phones.get(bob);
    const contact = chatwoot.requests.find(({ url }) => url.endsWith('/contacts'))!;
    assert.deepEqual(contact.body, { inbox_id: 3, name: 'Bob', identifier: jid, phone_number: `+${bob}` });

    const answer = {
      event: 'message_created',
      id: 99,
      message_type: 'outgoing',
      content: 'Until six.',
      conversation: { contact_inbox: { source_id: jid } },
    };
    const post = (path: string): Promise<Response> =>
      fetch(base + path, { method: 'POST', body: JSON.stringify(answer) });
    assert.equal((await post('/chatwoot?token=wrong')).status, 404);
    assert.equal((await post('/handset')).status, 401, 'what is not signed is refused');
    for (let turn = 0; turn < 2; turn += 1) assert.equal((await post('/chatwoot?token=bridge-token')).status, 204);
    await untilShown(installation, bob, 'Until six.');
    const shown = (await installation.phones.messages(bob)).filter(({ text }) => text === 'Until six.');
    assert.equal(shown.length, 1);
  });

  it('Node-RED: the function of the flow makes a request that answers', async () => {
    const page = readFileSync(join(docs, 'recipes.md'), 'utf8');
    const flow = JSON.parse(/```json\n(\[[\s\S]*?\])\n```/.exec(page)![1]!) as { type: string; func?: string }[];
    const { func = '' } = flow.find(({ type }) => type === 'function')!;
    // oxlint-disable-next-line typescript/no-implied-eval -- as Node-RED runs it
    const run = new Function('msg', 'env', func) as (
      msg: object,
      env: object,
    ) => { method: string; url: string; headers: Record<string, string>; payload: object } | null;
    const { jid } = await installation.phones.get(bob);
    const event = {
      id: 'evt_1',
      type: 'message.received',
      deviceId: id,
      data: { message: { chat: jid, text: 'ping' } },
    };
    const env = { get: () => ownerKey };
    assert.equal(run({ payload: { ...event, type: 'call' } }, env), null);
    const { method, url, headers, payload } = run({ payload: event }, env)!;
    const here = url.replace('http://127.0.0.1:8080', installation.handset.url);
    const sent = await fetch(here, { method, headers, body: JSON.stringify(payload) });
    assert.equal(sent.status, 200, await sent.text());
    await untilShown(installation, bob, 'pong');
  });
});
