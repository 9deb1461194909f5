/** The way to the messaging network: why it fails is said in words, at create, in the readiness and to users. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { readConfig } from '../../src/config.ts';
import { startHandset } from '../../src/main.ts';
import { NetworkWatch } from '../../src/main/network.ts';
import { unreachableBecause } from '../../src/whatsapp/connection/reach.ts';
import { api } from '../support/api.ts';
import { manualClock } from '../support/clock.ts';
import { ownerKey } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';

/** A port on which connections are taken, and nothing is ever said. */
const deafPort = async (t: TestContext): Promise<number> => {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

test('the cause is named: DNS, a refused connection, no TLS', async (t) => {
  assert.match(
    (await unreachableBecause('wss://nowhere.invalid/ws')) ?? '',
    /^nowhere\.invalid .* DNS .*\(E[A-Z_]+\)$/,
  );
  const port = await deafPort(t);
  assert.equal(await unreachableBecause(`ws://127.0.0.1:${port}`), null);
  const silent = await unreachableBecause(`wss://localhost:${port}/ws`, { timeoutMs: 500 });
  assert.equal(silent, 'localhost cannot be reached: no TLS connection (no answer)');
  assert.match((await unreachableBecause('ws://127.0.0.1:1/ws')) ?? '', /no connection \(ECONNREFUSED\)$/);
});

test('it is looked at once a minute, more often while it cannot be reached, and told once each way', async () => {
  const clock = manualClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  let problem: string | null = null;
  let open = 0;
  let looks = 0;
  const reach = async (): Promise<string | null> => {
    looks += 1;
    return problem;
  };
  const watch = new NetworkWatch({ reach, openSessions: () => open, clock, log });
  assert.deepEqual(watch.status, { problem: null, checkedAt: null });
  watch.start();
  await clock.advance(59_000);
  assert.equal(looks, 1);
  problem = 'it cannot be reached';
  await clock.advance(1_000);
  assert.equal(watch.status.problem, problem);
  await clock.advance(30_000);
  assert.equal(looks, 4);
  open = 1;
  await clock.advance(60_000);
  assert.deepEqual([looks, watch.status.problem], [4, null], 'an open session is proof enough');
  assert.deepEqual(lines, [
    'the messaging network: it cannot be reached',
    'the messaging network can be reached again',
  ]);
  watch.stop();
  await clock.advance(600_000);
  assert.equal(looks, 4);
});

test('while it is away, create answers 503 with Retry-After within 5 s, and readiness and users learn why', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = await startSandbox({ port: 0 });
  const settings = { HANDSET_PORT: '0', HANDSET_DATA_DIR: dataDir, HANDSET_BOOTSTRAP_KEY: ownerKey };
  const config = readConfig({ ...settings, HANDSET_NETWORK: sandbox.controlUrl });
  const log = pino({ level: 'silent' });
  const before = await startHandset(config, { log });
  t.after(() => before.close());
  await eventually(
    'a first look',
    async () => (await api(before.url, null).get('/health/ready')).body.details.network.reachable,
  );
  await sandbox.close();
  const started = performance.now();
  const { status, headers, body } = await api(`${before.url}/v1`, ownerKey).post('/devices', {});
  assert.ok(performance.now() - started < 5_000);
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(headers.get('retry-after'), '10');
  assert.match(
    body.status.message,
    /^127\.0\.0\.1 cannot be reached: no connection \(ECONNREFUSED\); "handset doctor"/,
  );
  assert.deepEqual((await api(`${before.url}/v1`, ownerKey).get('/devices')).body.devices, []);
});
