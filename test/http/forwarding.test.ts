/** A node's answers for a device that another node has, or nobody: asked by a caller, or by another node. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { LeaseLost } from '../../src/domain/lease.ts';
import { makeNodeAuth, nodeHeader, usedNonces } from '../../src/http/wire/node-auth.ts';
import type { Owner } from '../../src/service/cluster/caches.ts';
import { startHttp } from './harness.ts';
import { rawClient, requestHead } from './raw.ts';

const auth = makeNodeAuth('the secret of the nodes', Date.now);

test('a device that moves is followed, and 503 is for one that nobody has in time', async () => {
  const statuses = [421, 200];
  const owner = createServer((request, response) => {
    request.resume();
    response.writeHead(statuses.shift() ?? 500, { 'content-type': 'application/json' }).end('{"by":"the owner"}');
  });
  owner.listen(0, '127.0.0.1');
  await once(owner, 'listening');
  const elsewhere: Owner = { here: false, url: `http://127.0.0.1:${(owner.address() as AddressInfo).port}` };
  const places: (Owner | null)[] = [elsewhere, elsewhere, elsewhere];
  const cluster = {
    auth,
    url: () => 'http://this-node',
    reachesDatabase: async () => true,
    async locate(deviceId: number): Promise<Owner> {
      const place = places.shift() ?? null;
      if (place === null) throw new LeaseLost(deviceId);
      return place;
    },
  };
  await using http = await startHttp({ cluster });
  try {
    const id = await http.device();
    const send = (headers: Record<string, string> = {}) =>
      http.api.post(`/devices/${id}/messages/text`, { toNumber: '4915112345678', message: 'Hello' }, { headers });

    const followed = await send();
    assert.deepEqual([followed.status, followed.body], [200, { by: 'the owner' }]);
    assert.deepEqual([places, statuses], [[], []]);

    const unowned = await send();
    assert.equal(unowned.status, 503);
    assert.match(unowned.body.status.message, /moving to another node/);
    assert.equal(unowned.headers.get('retry-after'), '5');

    const path = `/v1/devices/${id}/messages/text`;
    const body = JSON.stringify({ toNumber: '4915112345678', message: 'Hello' });
    const headers = { authorization: `Bearer ${http.api.key}`, 'content-type': 'application/json' };
    const signedFor = (node: string) => auth.sign({ node, method: 'POST', path, headers }, Buffer.from(body)).header;
    // Not by `fetch`, which repeats what is answered with 421.
    const statusOf = async (signature: string): Promise<number> => {
      using client = await rawClient(http.port);
      const lines = [`Content-Length: ${body.length}`, 'Content-Type: application/json', 'Connection: close'];
      client.write(requestHead('POST', path, http.api.key!, [...lines, `${nodeHeader}: ${signature}`]) + body);
      return Number((await client.closed()).split(' ')[1]);
    };
    const passedOn = signedFor('http://this-node');
    assert.equal(await statusOf(passedOn), 421, 'the node that passed it on goes on looking');
    assert.equal(await statusOf(passedOn), 401, 'once');
    assert.equal(await statusOf(signedFor('http://another-node')), 401, 'what was signed for another node');
    const ofBefore = '1795363644282.JF23JCYwCYJcMzQltQK_XPIxNX_OGhRBiryl3IA1GMw';
    assert.equal(await statusOf(ofBefore), 503, 'what is no signature is a request like any other');
  } finally {
    owner.close();
  }
});

test('a request whose device is lost during the send is passed on whole or not at all', async () => {
  const bodies: string[] = [];
  let taken = (): void => undefined;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(await text(request));
    taken();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"by":"the owner"}');
  };
  const owner = createServer((request, response) => void take(request, response));
  owner.listen(0, '127.0.0.1');
  await once(owner, 'listening');
  const elsewhere: Owner = { here: false, url: `http://127.0.0.1:${(owner.address() as AddressInfo).port}` };
  let asked = 0;
  const cluster = {
    auth,
    url: () => 'http://this-node',
    reachesDatabase: async () => true,
    locate: async (): Promise<Owner> => ((asked += 1) === 1 ? { here: true } : elsewhere),
  };
  await using http = await startHttp({ cluster });
  try {
    const id = await http.linked();
    const send = async (bytes: number) => {
      asked = 0;
      const mediaBase64 = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(bytes)]).toString(
        'base64',
      );
      const { status, body, headers } = await http.api.post(`/devices/${id}/messages/media`, {
        toNumber: '4915112345678',
        mediaBase64,
      });
      return { status, body, headers, mediaBase64 };
    };
    http.network.script.send = 'lost';

    const small = await send(1_000);
    assert.deepEqual([small.status, small.body], [200, { by: 'the owner' }]);
    assert.equal(JSON.parse(bodies.pop()!).mediaBase64, small.mediaBase64);

    const large = await send(400_000);
    assert.equal(large.status, 503, JSON.stringify(large.body));
    assert.equal(large.headers.get('retry-after'), '5');
    assert.deepEqual(bodies, []);

    // It is here again by the time of the other node's answer.
    taken = () => void (http.network.script.send = 'accept');
    assert.deepEqual((await send(1_000)).body, { by: 'the owner' });
    assert.equal((await send(1_000)).status, 200);
    assert.equal(http.network.sent.length, 1, 'what another node has answered is not done here as well');
  } finally {
    owner.close();
  }
});

test('nonces are taken once, and those that had to be forgotten not at all', () => {
  const nonces = usedNonces(3);
  assert.equal(nonces.take('a', 10, 0), true);
  assert.equal(nonces.take('a', 10, 0), false);
  assert.equal(nonces.take('b', 12, 0), true);
  assert.equal(nonces.take('c', 11, 0), true);
  assert.equal(nonces.take('d', 13, 0), true, 'one too many: the first is forgotten');
  assert.equal(nonces.take('a', 10, 0), false);
  assert.equal(nonces.take('e', 9, 0), false, 'and so is what may have been forgotten with it');
  assert.equal(nonces.take('f', 100, 90), true, 'those whose time is over make room');
  assert.equal(nonces.take('g', 14, 0), true);
});
