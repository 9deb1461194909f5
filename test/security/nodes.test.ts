/** Requests between nodes: neither a tenant nor somebody on the way can forge or repeat one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { rawClient, requestHead } from '../http/raw.ts';
import { readEvents } from '../http/events/sse.ts';
import { api } from '../support/api.ts';
import { type Cluster, type TestNode, startCluster } from '../support/cluster.ts';
import { ownerKey } from '../support/installation.ts';
import { ada, bob, linkDevice } from '../flows/steps.ts';

let cluster: Cluster;
let deviceId: number;
let owner: TestNode;
let other: TestNode;

const portOf = ({ url }: TestNode): number => Number(new URL(url).port);

/** The node whose entrance a request through the other one passes. */
const findOwner = async (): Promise<void> => {
  const [one, two] = cluster.nodes as [TestNode, TestNode];
  const heard = two.entrance.record();
  await one.api.get(`/devices/${deviceId}/session`);
  await one.api.post(`/devices/${deviceId}/messages/text`, { toNumber: bob, message: 'where are you' });
  const passedOn = heard.flat().some((bytes) => bytes.includes('/messages/text'));
  [owner, other] = passedOn ? [two, one] : [one, two];
};

before(async () => {
  cluster = await startCluster(2, { HANDSET_TRUST_PROXY: '127.0.0.1' });
  await cluster.phones.add(ada, 'Ada');
  await cluster.phones.add(bob, 'Bob');
  deviceId = await linkDevice({ api: cluster.nodes[0]!.api, phones: cluster.phones }, ada);
  await findOwner();
});
after(() => cluster[Symbol.asyncDispose]());

const ask = async (port: number, target: string, body = '{}'): Promise<{ status: number; text: string }> => {
  using client = await rawClient(port);
  const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
  client.write(requestHead('POST', target, ownerKey, headers) + body);
  const text = await client.closed();
  return { status: Number(text.split(' ')[1]), text };
};

test('a request target that is not in origin form is refused, and nobody is connected to', async () => {
  let connections = 0;
  const stranger = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret');
  });
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    const { port } = stranger.address() as AddressInfo;
    const path = `/v1/devices/${deviceId}/messages/text`;
    for (const node of cluster.nodes) {
      for (const target of [
        `http://127.0.0.1:${port}${path}`,
        `HTTP://user:word@127.0.0.1:${port}${path}`,
        `http://127.0.0.1:${port}/%zz`,
        'http://[',
        '*',
      ]) {
        const { status, text } = await ask(portOf(node), target);
        assert.equal(status, 400, `${target}: ${text}`);
        assert.ok(!text.includes('secret'));
      }
      for (const target of [`//127.0.0.1:${port}${path}`, `/\\127.0.0.1:${port}${path}`]) {
        assert.equal((await ask(portOf(node), target)).status, 404, target);
      }
    }
    assert.equal(connections, 0);
  } finally {
    stranger.close();
  }
});

const send = (node: TestNode, message: string, headers: Record<string, string> = {}) =>
  node.api.post(`/devices/${deviceId}/messages/text`, { toNumber: bob, message }, { headers });

/** One request as it went from one node to the other, without what keeps the connection open. */
const passedOnTo = async (message: string): Promise<string> => {
  const heard = owner.entrance.record();
  assert.equal((await send(other, message)).status, 200);
  const all = Buffer.concat(heard.flat()).toString('latin1');
  const at = all.indexOf(`POST /v1/devices/${deviceId}/messages/text`);
  assert.ok(at >= 0, 'it was passed on');
  const [head = '', body = ''] = all.slice(at).split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)![1]);
  return `${head.replace(/connection: keep-alive/i, 'connection: close')}\r\n\r\n${body.slice(0, length)}`;
};

const replay = async (request: string): Promise<number> => {
  using client = await rawClient(portOf(owner));
  client.write(request);
  return Number((await client.closed()).split(' ')[1]);
};

const shown = async (text: string): Promise<number> =>
  (await cluster.phones.messages(bob)).filter((message) => message.text === text).length;

test('what one node has passed on is taken once', async () => {
  const request = await passedOnTo('said once');
  assert.equal(await replay(request), 401);
  assert.equal(await replay(request), 401);
  assert.equal(await shown('said once'), 1);
});

test('a signature is good for nothing else: every part of what it stands for is covered', async () => {
  const counted = (await other.api.post('/keys', { name: 'counted' })).body.key;
  const own = api(other.api.baseUrl, counted.secret);
  const changes: readonly (readonly [string, (request: string) => string])[] = [
    ['body', (request) => request.replace('to be changed', 'was it changed')],
    ['message id', (request) => request.replace(/(x-handset-message: )\S+/i, '$13EB0AAAAAAAAAAAAAAAAAA')],
    ['address', (request) => request.replace(/(x-handset-address: )\S+/i, '$1203.0.113.9')],
    ['method', (request) => request.replace('POST ', 'PUT ')],
    ['path', (request) => request.replace('/messages/text', '/messages/text?x=1')],
    ['key', (request) => request.replace(/(authorization: Bearer )\S+/i, `$1${counted.secret}`)],
    [
      'nonce',
      (request) => request.replace(/(?<=x-handset-node: \d+\.\d+\.)./i, (first) => (first === 'A' ? 'B' : 'A')),
    ],
  ];
  for (const [part, change] of changes) {
    const request = await passedOnTo('to be changed');
    const changed = change(request);
    assert.notEqual(changed, request, part);
    const headless = changed.replace(/content-length: \d+/i, `content-length: ${changed.split('\r\n\r\n')[1]!.length}`);
    const status = await replay(headless);
    // The signed request itself has been taken already: as one of a node's it may not pass, in whatever dress.
    assert.equal(status, 401, part);
  }
  assert.equal((await own.get('/me')).status, 200);
  assert.equal(await shown('was it changed'), 0);
});

test('a body that goes as a stream is the one that was signed, too', async () => {
  const long = 'y'.repeat(65_500);
  const heard = owner.entrance.record();
  assert.equal((await send(other, long)).status, 200);
  const text = Buffer.concat(heard.flat()).toString('latin1');
  assert.match(text, /x-handset-body: [\w-]{43}/i, 'told after the body');
});

test('a stream on one node ends when its key is revoked at the other, and has nothing of what happens then', async () => {
  const made = (await owner.api.post('/keys', { name: 'short-lived' })).body.key;
  for (const path of [`/devices/${deviceId}/events`, '/events']) {
    const { id, secret } = path === '/events' ? (await owner.api.post('/keys', { name: 'another' })).body.key : made;
    const stream = await readEvents(api(other.api.baseUrl, secret), path);
    assert.match((await stream.block()) ?? '', /connected/);
    await cluster.phones.write(bob, { to: ada, text: `before the revocation ${path}` });
    assert.equal((await stream.next())?.event, 'message.received');
    assert.equal((await owner.api.delete(`/keys/${id}`)).status, 200);
    await cluster.phones.write(bob, { to: ada, text: `after the revocation ${path}` });
    const late = (await stream.rest()).filter(({ data }) => JSON.stringify(data).includes('after the revocation'));
    assert.deepEqual(late, [], path);
  }
});
