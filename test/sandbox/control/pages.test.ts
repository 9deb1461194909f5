/** The control interface has no keys: pages in a browser must not get in. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../../sandbox/src/sandbox.ts';
import { rawClient } from '../../http/raw.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox({ port: 0 });
});
after(() => sandbox.close());

const body = JSON.stringify({ number: '4915550001111', name: 'Ada' });

const post = async (headers: Readonly<Record<string, string>>): Promise<number> => {
  const { port } = new URL(sandbox.controlUrl);
  using client = await rawClient(Number(port));
  const all = { host: `127.0.0.1:${port}`, 'content-length': String(body.length), connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  client.write(['POST /sandbox/phones HTTP/1.1', ...lines, '', body].join('\r\n'));
  return Number((await client.closed()).split(' ')[1]);
};

test('a page of another origin, or of a name that leads here, is refused', async () => {
  const { port } = new URL(sandbox.controlUrl);
  const text = { 'content-type': 'text/plain' };
  assert.equal(await post({ ...text, origin: 'https://example.com' }), 403);
  assert.equal(await post({ ...text, origin: 'null' }), 403);
  assert.equal(await post({ ...text, 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await post({ ...text, host: `rebound.example.com:${port}` }), 403);
  assert.equal(
    await post({ ...text, host: `rebound.example.com:${port}`, origin: `http://rebound.example.com:${port}` }),
    403,
  );
  const answer = await fetch(`${sandbox.controlUrl}/phones`);
  assert.deepEqual(await answer.json(), { phones: [] });
});

test('programs on this machine, and a page of its own address, get in', async () => {
  const { port } = new URL(sandbox.controlUrl);
  assert.equal(await post({}), 200);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    assert.notEqual(await post({ host, origin: `http://${host}` }), 403, host);
  }
});
