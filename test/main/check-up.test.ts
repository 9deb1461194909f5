/** `handset doctor` on the machine of the service: each trouble is found, and told with what to do. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { generate } from 'selfsigned';
import { readConfig } from '../../src/config.ts';
import { type Surroundings, checkUp } from '../../src/main/check-up.ts';
import { rotateSecret } from '../../src/store/admin/rotate.ts';
import { startBucket } from '../support/s3/s3.ts';
import { openTestStore, type TestStore } from '../support/store.ts';

let server: Server;
let around: Surroundings;

before(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  server = createServer({ cert, key }, (_request, response) => response.end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  around = { network: { host: 'localhost', port }, now: () => Date.now(), timeoutMs: 2000, ca: cert };
});
after(() => server.close());

/** A folder that was used and is not in use. */
const folder = async (): Promise<TestStore> => {
  const store = await openTestStore();
  await store.stores.users.create('ann', 1, 0);
  await store.stores.close();
  return store;
};

const look = async (
  dataDir: string,
  options: { around?: Partial<Surroundings>; secret?: string; env?: Record<string, string> } = {},
): Promise<string[]> => {
  const config = { dataDir, secret: options.secret ?? null, newSecret: null, sandboxed: false };
  const found = await checkUp(config, { ...around, ...options.around }, () => readConfig(options.env ?? {}));
  return found.filter(({ verdict }) => verdict !== 'ok').map(({ verdict, text }) => `${verdict}: ${text}`);
};

test('a healthy folder has nothing to tell', async () => {
  const { dataDir } = await folder();
  assert.deepEqual(await look(dataDir), []);
  await rm(dataDir, { recursive: true });
});

test('a folder in use is looked at as well', async () => {
  const store = await openTestStore();
  assert.deepEqual(await look(store.dataDir), []);
  const found = await checkUp({ dataDir: store.dataDir, secret: null, newSecret: null, sandboxed: true }, around, () =>
    readConfig({}),
  );
  assert.ok(found.some(({ text }) => text.includes('a Handset process is using it')));
  await store.close();
});

test('settings that cannot be used, and those that are dangerous', async () => {
  const none = await look('', { env: { HANDSET_FFMPEG: '/no/such/ffmpeg' } });
  assert.match(none.join(' '), /problem: settings: HANDSET_FFMPEG must be/);
  const { dataDir } = await folder();
  const [bad] = await look(dataDir, { env: { HANDSET_PORT: 'x' } });
  assert.match(bad!, /^problem: settings: HANDSET_PORT must be/);
  const dangerous = await look(dataDir, {
    env: { HANDSET_HOST: '0.0.0.0', HANDSET_ALLOW_PRIVATE_URLS: 'true', HANDSET_SECRET: 'short' },
  });
  assert.equal(dangerous.length, 3);
  assert.match(
    dangerous.join('\n'),
    /unencrypted.*\n.*HANDSET_SECRET must have at least 32 characters.*\n.*HANDSET_ALLOWED_PRIVATE_HOSTS/,
  );
  await rm(dataDir, { recursive: true });
});

test('a place of kept media that takes nothing', async () => {
  const { dataDir } = await folder();
  await using bucket = await startBucket();
  const { settings } = bucket;
  assert.deepEqual(await look(dataDir, { env: settings }), []);
  assert.deepEqual(await bucket.objects(), []);
  const [refused] = await look(dataDir, { env: { ...settings, HANDSET_S3_SECRET_ACCESS_KEY: 'another' } });
  assert.match(refused!, /^problem: kept media cannot be stored in s3:.*HTTP 403 \(SignatureDoesNotMatch\)/);
  await bucket.stop();
  const [away] = await look(dataDir, { env: settings });
  assert.match(away!, /^problem: kept media cannot be stored in s3:\/\/kept-media\/handset\/: connect ECONNREFUSED/);
  await rm(dataDir, { recursive: true });
});

test('files that others can read', async () => {
  const { dataDir } = await folder();
  chmodSync(dataDir, 0o755);
  chmodSync(join(dataDir, 'secret'), 0o644);
  const found = await look(dataDir);
  assert.equal(found.length, 2);
  assert.match(found.join('\n'), /chmod 700 .*\n.*chmod 600 /);
  await rm(dataDir, { recursive: true });
});

test('a secret that is missing, wrong or half rotated', async () => {
  const { dataDir } = await folder();
  assert.match((await look(dataDir, { secret: 'another' })).join('\n'), /sealed with another secret/);
  const cut = (): void => {
    throw new Error('cut');
  };
  await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: null, step: cut }));
  assert.match((await look(dataDir)).join('\n'), /run "handset rotate-secret"/);
  await rotateSecret({ dataDir, secret: null, newSecret: null });
  assert.deepEqual(await look(dataDir), []);
  rmSync(join(dataDir, 'secret'));
  assert.match((await look(dataDir)).join('\n'), /the secret is missing: set HANDSET_SECRET/);
  await rm(dataDir, { recursive: true });
});

test('a damaged database', async () => {
  const { dataDir } = await folder();
  const path = join(dataDir, 'handset.db');
  const bytes = readFileSync(path);
  for (let page = 2; page * 4096 < bytes.length; page += 1) bytes.fill(0xff, page * 4096, page * 4096 + 64);
  writeFileSync(path, bytes);
  assert.match((await look(dataDir)).join('\n'), /problem: the database (is damaged|cannot be read)/);
  await rm(dataDir, { recursive: true });
});

test('a clock that is off, and a network that cannot be reached', async () => {
  const { dataDir } = await folder();
  const late = { now: () => Date.now() + 600_000 };
  assert.match((await look(dataDir, { around: late })).join('\n'), /off by 10 minutes: turn on NTP/);
  const closed = { network: { host: 'localhost', port: 1 } };
  assert.match(
    (await look(dataDir, { around: closed })).join('\n'),
    /localhost cannot be reached: no TLS .* to port 1 in the firewall/,
  );
  const nowhere = { network: { host: 'nowhere.invalid', port: 443 } };
  assert.match((await look(dataDir, { around: nowhere })).join('\n'), /nowhere.invalid cannot be reached: DNS/);
  await rm(dataDir, { recursive: true });
});
