/** MCP at `/mcp` with the SDK's own client: what a limited key sees, and what is refused in words. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ada, addPhones, linkDevice } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';

let installation: Installation;
let [mine, other] = [0, 0];

before(async () => {
  installation = await startInstallation({ HANDSET_RATE_LIMIT: '150' });
  await addPhones(installation);
  mine = await linkDevice(installation, ada, { name: 'Mine' });
  other = (await installation.api.post('/devices', { name: 'Other' })).body.device.id;
});
after(() => installation[Symbol.asyncDispose]());

const keyFor = async (limits: object): Promise<string> =>
  (await installation.api.post('/keys', { name: 'model', ...limits })).body.key.secret;

const connected = async (key: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${installation.handset.url}/mcp`), { requestInit }));
  return client;
};

const post = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${installation.handset.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ownerKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body,
  });

const call = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const initialize = call('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

test('a key that may read one device sees one device, has no tool that changes, and cannot send', async () => {
  const client = await connected(await keyFor({ devices: [mine], actions: ['read'] }));
  const { tools } = await client.listTools();
  assert.ok(tools.length > 10 && tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  const { structuredContent } = await client.callTool({ name: 'list_devices', arguments: {} });
  const { devices } = structuredContent as { readonly devices: readonly { readonly id: number }[] };
  assert.deepEqual(
    devices.map(({ id }) => id),
    [mine],
  );
  const hidden = await client.callTool({ name: 'get_device', arguments: { device: other } });
  assert.equal(hidden.isError, true);
  assert.match(JSON.stringify(hidden.content), /not found/i);
  const send = { name: 'send_text', arguments: { device: mine, to: '4915550002222', message: 'Hello' } };
  await assert.rejects(client.callTool(send), /send_text/);
  await client.close();
});

test('an argument that a tool does not have is refused, and a wrong recipient named as the argument', async () => {
  const client = await connected(ownerKey);
  const answerTo = async (name: string, given: object): Promise<string> => {
    const { isError, content } = await client.callTool({ name, arguments: { device: mine, ...given } });
    assert.equal(isError, true);
    return JSON.stringify(content);
  };
  assert.match(await answerTo('wait_for_event', { types: ['message.received'] }), /no argument .*types.*kinds/);
  assert.match(await answerTo('delete_message', { messageId: 'A1', scope: 'me' }), /no argument .*scope/);
  assert.match(await answerTo('send_text', { to: '12', message: 'Hello' }), /"to must be/);
  await client.close();
});

test('the owner has every tool, sends, and waits for the event', async () => {
  const client = await connected(ownerKey);
  assert.ok((await client.listTools()).tools.length > 50);
  const to = '4915550002222';
  const sent = await client.callTool({ name: 'send_text', arguments: { device: mine, to, message: 'Hello' } });
  assert.notEqual(sent.isError, true, JSON.stringify(sent.content));
  const listed = await client.callTool({ name: 'list_events', arguments: { device: mine, limit: 1 } });
  const { events } = listed.structuredContent as { readonly events: readonly { readonly id: string }[] };
  const wait = { device: mine, after: events[0]!.id, timeoutSeconds: 10 };
  const waited = await client.callTool({ name: 'wait_for_event', arguments: wait });
  assert.match(JSON.stringify(waited.structuredContent), /evt_/, JSON.stringify(waited.content));
  await client.close();
});

test('what is wrong is refused in words', async () => {
  for (const [answer, code, words] of [
    [post(initialize, { authorization: 'Bearer hs_wrong' }), 401, /Bearer token/],
    [post(initialize, { origin: 'https://evil.example' }), 403, /other sites/],
    [post('x'.repeat(10 * 1_048_576)), 413, /too large/],
    [post('{'), 400, /JSON/],
    [post(call('initialize', {})), 200, /protocolVersion/],
    [post(call('tools/list', {}), { 'mcp-protocol-version': '1999-01-01' }), 400, /version/i],
    [
      fetch(`${installation.handset.url}/mcp`, { headers: { authorization: `Bearer ${ownerKey}` } }),
      405,
      /not allowed/,
    ],
  ] as const) {
    const { status } = await answer;
    const text = await (await answer).text();
    assert.match(text, words);
    assert.equal(status, code, text);
  }
});

test('a thousand sessions keep nothing, and end at the rate of the API', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 1000 && !statuses.has(429); n += 1) {
    const answer = await post(initialize);
    statuses.add(answer.status);
    assert.equal(answer.headers.get('mcp-session-id'), null);
    const text = await answer.text();
    if (answer.status === 429) assert.match(text, /rate limit|too many/i);
  }
  assert.deepEqual([...statuses], [200, 429]);
});
