/** Images of one user against the whole service: its decoder, its memory and the images of everybody else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { startChild } from '../system/support/child.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { ada, bob, linkDevice } from '../flows/steps.ts';
import { type Api, api } from '../support/api.ts';
import { ownerKey } from '../support/installation.ts';
import { phonesOf } from '../support/phones.ts';

const carol = '4915550003333';
const adminToken = 'the-operator-of-this-installation-and-no-other';

const solid = (side: number, channels: 3 | 4) =>
  sharp({ create: { width: side, height: side, channels, background: { r: 0, g: 0, b: 0, alpha: 0.5 } } });

/** What is read, or `ended` if the process or thread has ended meanwhile. */
const unlessEnded = <T>(read: () => T, ended: T): T => {
  try {
    return read();
  } catch {
    return ended;
  }
};

/** The process and those that it has started. Linux alone tells. */
const treeOf = (pid: number): readonly number[] => {
  const tasks = unlessEnded(() => readdirSync(`/proc/${pid}/task`), []);
  const children = tasks.flatMap((task) =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
};

/** Megabytes of all of them together; what two of them share, the program itself for one, is counted once. */
const resident = (pid: number): number => {
  let sum = 0;
  for (const one of treeOf(pid)) {
    const rollup = unlessEnded(() => readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'), '');
    sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  }
  return sum;
};

const startService = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-images-'));
  const sandbox = await startSandbox({ port: 0 });
  const child = startChild('handset.ts', {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: ownerKey,
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_NETWORK: sandbox.controlUrl,
    HANDSET_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    HANDSET_RATE_LIMIT: '100000',
    HANDSET_LOG_LEVEL: 'silent',
  });
  const url = await child.ask<string>('start');
  const user = async (name: string): Promise<Api> => {
    const operator = api(`${url}/admin/v1`, adminToken);
    const { user: made } = (await operator.post('/users', { name, deviceLimit: 2 })).body;
    const { secret } = (await operator.post(`/users/${made.id}/keys`, { name: 'one' })).body.key;
    return api(`${url}/v1`, secret);
  };
  return {
    pid: child.process.pid!,
    user,
    phones: phonesOf(sandbox.controlUrl),
    async [Symbol.asyncDispose]() {
      await child.stop();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Answers at once, and never ends. */
const startSlow = async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.write(Buffer.from([0x89, 0x50]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slow.png`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
};

test('slow downloads and hostile images of one user hold up nobody, within 512 MB', async (t) => {
  await using service = await startService();
  using slow = await startSlow();
  const { phones } = service;
  for (const number of [ada, bob, carol]) await phones.add(number, number);
  const [hostile, other] = [await service.user('hostile'), await service.user('other')];
  const theirs = await linkDevice({ api: hostile, phones }, ada);
  const own = await linkDevice({ api: other, phones }, carol);

  const abort = new AbortController();
  const refused: number[] = [];
  const attack = async (media: object): Promise<void> => {
    const answer = await hostile.fetch(`/devices/${theirs}/messages/media`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ toNumber: bob, ...media }),
      signal: abort.signal,
    });
    refused.push(answer.status);
    await answer.body?.cancel();
  };
  const base64 = async (image: Sharp): Promise<object> => ({
    mediaBase64: (await image.webp({ lossless: true }).toBuffer()).toString('base64'),
  });
  // The most that is refused, and the most that is taken.
  const [bomb, large] = [await base64(solid(7_000, 3)), await base64(solid(3_600, 4))];
  const attacks = [
    ...Array.from({ length: 60 }, () => bomb),
    ...Array.from({ length: 10 }, () => large),
    ...Array.from({ length: 80 }, () => ({ mediaUrl: slow.url })),
  ].map((media) => attack(media).catch(() => undefined));

  const isLinux = process.platform === 'linux';
  let peak = 0;
  const watch = setInterval(() => {
    if (isLinux) peak = Math.max(peak, resident(service.pid));
  }, 25);
  try {
    const photograph = (await solid(800, 3).jpeg().toBuffer()).toString('base64');
    using quick = await startQuick(Buffer.from(photograph, 'base64'));
    let slowest = 0;
    for (let n = 0; n < 6; n += 1) {
      const began = performance.now();
      const media = n % 2 === 0 ? { mediaBase64: photograph } : { mediaUrl: quick.url };
      const sent = await other.post(`/devices/${own}/messages/media`, { toNumber: bob, ...media });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      slowest = Math.max(slowest, performance.now() - began);
    }
    t.diagnostic(`the slowest of the others took ${Math.round(slowest)} ms, ${Math.round(peak)} MB at the peak`);
    assert.ok(slowest < 15_000, `${slowest} ms`);
  } finally {
    clearInterval(watch);
    abort.abort();
    await Promise.all(attacks);
  }
  // Most requests of one user wait for those before them.
  assert.ok(refused.includes(400), 'bombs are refused');
  assert.ok(peak < 512, `${peak} MB`);
});

/** Answers with an image. */
const startQuick = async (image: Buffer) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': image.length }).end(image);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/quick.jpg`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
};
