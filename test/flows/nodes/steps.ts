/** Longer steps of the flow of several nodes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Client as ModelClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from 'pg';
import { api } from '../../support/api.ts';
import type { Cluster, TestNode } from '../../support/cluster.ts';
import { ownerKey } from '../../support/installation.ts';
import { startReceiver } from '../../support/receiver.ts';
import type { TestBucket } from '../../support/s3/s3.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, deviceBeforeGate, untilEvent, untilOpen, untilShown } from '../steps.ts';

/** Media that the owner of a device, Ada's, keeps in a bucket, and all nodes serve. */
export const keepMediaOnNodes = async (cluster: Cluster, bucket: TestBucket, id: number): Promise<void> => {
  const [first] = cluster.nodes;
  assert.equal((await first!.api.put(`/devices/${id}/settings`, { media: 'kept' })).status, 200);
  const file = randomBytes(400_001);
  const [messageId] = await cluster.phones.write(bob, { to: ada, documentBase64: file.toString('base64') });
  const path = `/devices/${id}/messages/${messageId}/media`;
  await eventually('the media is kept', async () => {
    const { headers } = await first!.api.fetch(path, { method: 'HEAD' });
    return headers.get('accept-ranges') === 'bytes';
  });
  assert.equal((await bucket.objects()).length, 1);
  await cluster.phones.faults({ mediaStatus: 410 });
  for (const node of cluster.nodes) {
    const part = await node.api.fetch(path, { headers: { range: 'bytes=70000-300000' } });
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 70000-300000/400001']);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(file.subarray(70_000, 300_001)));
    const whole = await node.api.fetch(path);
    assert.ok(Buffer.from(await whole.arrayBuffer()).equals(file));
  }
  await cluster.phones.faults({});
};

/** A passkey that is asked for at one node, answered at another, and seen at all of them. */
export const answerPasskeyOnNodes = async (cluster: Cluster): Promise<void> => {
  const at = (n: number) => ({ api: cluster.nodes[n]!.api, phones: cluster.phones });
  const eve = '4915550009876';
  await cluster.phones.add(eve, 'Eve');
  await cluster.phones.behave(eve, { linking: 'passkey' });
  const id = await deviceBeforeGate(at(0), eve);
  const links: string[] = [];
  for (const node of cluster.nodes) {
    const { passkey } = (await node.api.get(`/devices/${id}/passkey`)).body;
    assert.equal(passkey.responseUrl, `${node.api.baseUrl}/devices/${id}/passkey/response`, 'as this caller came');
    links.push(passkey.token);
  }
  const { options } = (await cluster.nodes[1]!.api.get(`/devices/${id}/passkey`)).body.passkey;
  const credential = await cluster.phones.passkey(eve, options);
  const path = `/devices/${id}/passkey/response`;
  const taken = await api(cluster.nodes[2]!.api.baseUrl, links[1]!).post(path, credential);
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.equal((await api(cluster.nodes[1]!.api.baseUrl, links[1]!).post(path, credential)).status, 401, 'used');
  await untilOpen(at(1), id);
  assert.equal((await cluster.nodes[1]!.api.delete(`/devices/${id}`)).status, 200);
};

/** Somebody who writes to nobody else, so that the webhooks of her chats hear of nothing else. */
const carol = '4915550007777';

interface Turn {
  readonly messages: readonly { readonly id: string }[];
}

interface Received {
  readonly message: { readonly id: string };
}

export interface Settling extends AsyncDisposable {
  /** Writes to all devices, whose owners store the turns. This node is one of them; to be killed before they have settled. */
  begin(owner: TestNode): Promise<void>;
  untilReported(): Promise<void>;
}

/**
 * Turns on several nodes, and 101 webhooks of one event: 100 of a device, and one of the account that another node made. `devices` are
 * those of `numbers`.
 */
export const settleOnNodes = async (
  cluster: Cluster,
  numbers: readonly string[],
  devices: readonly number[],
): Promise<Settling> => {
  const [, second] = cluster.nodes;
  const [id] = devices;
  await cluster.phones.add(carol, 'Carol');
  const receiver = await startReceiver();
  const make = async (base: string, path: string, events: readonly string[], more: object = {}): Promise<void> => {
    const wish = { url: `${receiver.url}${path}`, events, chats: { only: [carol] }, ...more };
    assert.equal((await second!.api.post(`${base}/webhooks`, wish)).status, 200);
  };
  await make('', '/account', ['chat.settled'], { settleSeconds: 1 });
  await Promise.all(Array.from({ length: 100 }, (_, n) => make(`/devices/${id}`, `/${n}`, ['message.received'])));

  const database = new Client(cluster.databaseUrl);
  await database.connect();
  const written = new Map<string, readonly string[]>();
  /** Turns by their messages, which nobody answers. */
  const expected: string[] = [];
  const write = async (number: string, text: string): Promise<void> => {
    const [messageId] = await cluster.phones.write(carol, { to: number, text });
    const at = { api: second!.api, phones: cluster.phones };
    const device = devices[numbers.indexOf(number)]!;
    await untilEvent(at, device, 'message.received', ({ message }: Received) => message.id === messageId);
    written.set(number, [...(written.get(number) ?? []), messageId!]);
    expected.push(written.get(number)!.join());
  };
  const untilReported = async (): Promise<void> => {
    await receiver.until(expected.length, ({ path }) => path === '/account');
    const paths = devices.map((device) => `/devices/${device}/events?types=chat.settled`);
    const pages = await Promise.all(paths.map((path) => second!.api.get(path)));
    const turns: Turn[] = pages.flatMap(({ body }) => body.events.map(({ data }: { data: Turn }) => data));
    const reported = turns.map(({ messages }) => messages.map((message) => message.id).join());
    assert.deepEqual(reported.toSorted(), expected.toSorted());
  };

  const text = randomBytes(3_000).toString('base64');
  await write(ada, text);
  await untilReported();
  const posts = await receiver.until(100, ({ path, body }) => path !== '/account' && body.includes(text));
  assert.equal(new Set(posts.map(({ path }) => path)).size, 100);
  assert.equal(new Set(posts.map(({ body }) => body)).size, 1);
  const { rows } = await database.query<{ deliveries: number; largest: number; payload: number }>(
    `select count(*)::int as deliveries, max(pg_column_size(d.*)) as largest, max(octet_length(e.data)) as payload
     from deliveries d join events e using (device_id, seq) where e.kind = 'message.received'`,
  );
  const [stored] = rows;
  assert.equal(stored!.deliveries, 100);
  assert.ok(
    stored!.payload > 4_000 && stored!.largest < 300,
    `${JSON.stringify(stored)}: the payload is in the event alone`,
  );
  return {
    async begin(owner) {
      const owned = await database.query(`select from leases l join nodes n on n.id = l.node where n.url like $1`, [
        `%:${owner.entrance.port}`,
      ]);
      assert.ok(owned.rowCount! > 0);
      await Promise.all(numbers.map((number) => write(number, 'before the death')));
    },
    untilReported,
    async [Symbol.asyncDispose]() {
      await database.end();
      await receiver.close();
    },
  };
};

/** Signs in at the first node, asks all of them about all devices, and signs out at the last. */
export const signInOnNodes = async ({ nodes }: Cluster, devices: readonly number[]): Promise<void> => {
  const authorization = `Bearer ${ownerKey}`;
  const origin = ({ api: { baseUrl } }: TestNode): string => new URL(baseUrl).origin;
  const begun = await fetch(`${origin(nodes[0]!)}/session`, { method: 'POST', headers: { authorization } });
  const token = /=([\w-]{43});/.exec(begun.headers.get('set-cookie') ?? '')?.[1];
  const ask = (node: TestNode, path: string, method = 'GET') => {
    const cookie = `handset-${new URL(origin(node)).port}=${token}`;
    return fetch(origin(node) + path, { method, headers: { cookie, 'handset-dashboard': '1' } });
  };
  for (const node of nodes) {
    for (const id of devices) assert.equal((await ask(node, `/v1/devices/${id}/session`)).status, 200);
  }
  assert.equal((await ask(nodes[2]!, '/session', 'DELETE')).status, 200);
  for (const node of nodes) assert.equal((await ask(node, '/v1/me')).status, 401);
};

/** A message of each device to Bob, two seconds from then. Returns what waits until Bob has each of them, once. */
export const scheduleOnNodes = async (
  cluster: Cluster,
  { api: node }: TestNode,
  devices: readonly number[],
  text: string,
): Promise<() => Promise<void>> => {
  for (const id of devices) {
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const body = { toNumber: bob, message: `${text} ${id}`, sendAt };
    const { status } = await node.post(`/devices/${id}/messages/text`, body);
    assert.equal(status, 200);
  }
  return async () => {
    for (const id of devices) await untilShown({ api: node, phones: cluster.phones }, bob, `${text} ${id}`);
    const shown = (await cluster.phones.messages(bob)).filter((message) => message.text?.startsWith(text));
    assert.equal(shown.length, devices.length);
  };
};

/** A model's client whose requests go to another node each time: none keeps anything of it. */
export const askByMcpOnNodes = async ({ nodes, phones }: Cluster, device: number): Promise<void> => {
  let asked = 0;
  const client = new ModelClient({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${nodes[0]!.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${ownerKey}` } },
    fetch: (_, init) => fetch(`${nodes[asked++ % nodes.length]!.url}/mcp`, init),
  });
  await client.connect(transport);
  for (const [n, { api: node }] of nodes.entries()) {
    const message = `by a model, ${n}`;
    const sent = await client.callTool({ name: 'send_text', arguments: { device, to: bob, message } });
    assert.notEqual(sent.isError, true, JSON.stringify(sent.content));
    await untilShown({ api: node, phones }, bob, message);
  }
  assert.ok(asked > nodes.length);
  await client.close();
};

/** The whole of 127/8 is this machine on Linux; elsewhere one address is. */
export const otherAddress = process.platform === 'linux' ? '127.0.0.9' : '127.0.0.1';

/** Through each node once, so that two of them pass it on; the last status. */
export const renameFrom = async (localAddress: string, nodes: readonly TestNode[], id: number): Promise<number> => {
  let status = 0;
  for (const { url } of nodes) {
    const headers = { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' };
    const put = request(`${url}/v1/devices/${id}`, { method: 'PUT', localAddress, headers, agent: false });
    put.end(JSON.stringify({ name: `renamed by ${url}` }));
    const [answer]: IncomingMessage[] = await once(put, 'response');
    status = answer!.resume().statusCode ?? 0;
  }
  return status;
};
