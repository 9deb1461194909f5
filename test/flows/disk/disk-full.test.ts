/** The disk is full for a while: nothing that was acknowledged is lost, nothing arrives twice, and all goes on by itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../src/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { startHandset } from '../../../src/main.ts';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { api } from '../../support/api.ts';
import { ownerKey, startInstallation } from '../../support/installation.ts';
import { phonesOf } from '../../support/phones.ts';
import { startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent } from '../steps.ts';

function* pieces(megabytes: number): Generator<Buffer> {
  for (let n = 0; n < megabytes; n += 1) yield Buffer.alloc(1_048_576, n);
}

const run = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0;

/** A disk of so many MB; null where this user may not mount one. */
const smallDisk = async (t: TestContext, megabytes: number): Promise<string | null> => {
  const disk = await mkdtemp(join(tmpdir(), 'handset-disk-'));
  t.after(async () => {
    run('umount', disk);
    await rm(disk, { recursive: true });
  });
  if (run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', disk)) return disk;
  t.skip('this user may not mount a disk');
  return null;
};

test('files on their way in and out leave room to the database, and nothing else waits for them', async (t) => {
  const disk = await smallDisk(t, 32);
  if (disk === null) return;
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  await using installation = await startInstallation({ HANDSET_DATA_DIR: join(disk, 'data') }, undefined, clock);
  const { phones, api: client } = installation;
  await addPhones(installation);
  const id = await linkDevice(installation);
  await client.put(`/devices/${id}/settings`, { media: 'kept' });
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${installation.handset.url}/health/ready`)).status === 200;

  const film = createServer((_request, answer) => void Readable.from(pieces(60)).pipe(answer)).listen(0, '127.0.0.1');
  t.after(() => film.close());
  await once(film, 'listening');
  const { port } = film.address() as AddressInfo;
  const body = { toNumber: bob, mediaUrl: `http://127.0.0.1:${port}/film` };
  const large = await client.post(`/devices/${id}/messages/document`, body);
  assert.deepEqual([large.status, large.headers.get('retry-after')], [503, '60'], JSON.stringify(large.body));
  assert.match(large.body.status.message, /The disk of the service is full/);

  writeFileSync(join(disk, 'ballast'), Buffer.alloc(statfsSync(disk).bavail * statfsSync(disk).bsize - 2_500_000));
  const file = randomBytes(1_500_000);
  const [messageId] = await phones.write(bob, { to: ada, documentBase64: file.toString('base64') });
  await untilEvent(
    installation,
    id,
    'message.received',
    (data: { message: { id: string } }) => data.message.id === messageId,
  );
  const sent = await client.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'meanwhile' });
  assert.deepEqual([sent.status, await isReady()], [200, true]);
  const metrics = async (): Promise<string> => (await fetch(`${installation.handset.url}/metrics`)).text();
  await eventually('it waits', async () => /^handset_media_waiting 1$/m.test(await metrics()));
  const media = (init?: RequestInit) => client.fetch(`/devices/${id}/messages/${messageId}/media`, init);
  const fromNetwork = await media();
  assert.equal(fromNetwork.headers.get('accept-ranges'), null);
  assert.ok(Buffer.from(await fromNetwork.arrayBuffer()).equals(file));

  rmSync(join(disk, 'ballast'));
  ahead = 61_000;
  await client.put(`/devices/${id}/settings`, { media: 'kept' });
  await eventually('it is kept', async () => (await media({ method: 'HEAD' })).headers.has('accept-ranges'));
});

test('a full disk costs no message, and passes by itself', async (t) => {
  const disk = await smallDisk(t, 16);
  if (disk === null) return;
  const sandbox = await startSandbox({ port: 0 });
  const phones = phonesOf(sandbox.controlUrl);
  const settings = {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: join(disk, 'data'),
    HANDSET_BOOTSTRAP_KEY: ownerKey,
    HANDSET_NETWORK: sandbox.controlUrl,
    HANDSET_ALLOW_PRIVATE_URLS: 'true',
    HANDSET_RATE_LIMIT: '100000',
  };
  await using receiver = await startReceiver();
  const posted = (text: string) => receiver.received.filter(({ body }) => body.includes(`"${text}"`));
  const handset = await startHandset(readConfig(settings), { log: pino({ level: 'silent' }) });
  const client = api(`${handset.url}/v1`, ownerKey);
  await phones.add(ada, 'Ada');
  await phones.add(bob, 'Bob');
  const { device } = (await client.post('/devices', { webhookUrl: `${receiver.url}/hook` })).body;
  await phones.scan(ada, device.qr);
  const isOpen = async (): Promise<boolean> =>
    (await client.get(`/devices/${device.id}/session`)).body.session.state === 'open';
  await eventually('open', isOpen);
  const send = (message: string) => client.post(`/devices/${device.id}/messages/text`, { toNumber: bob, message });
  assert.equal((await send('before')).status, 200);
  await phones.write(bob, { to: ada, text: 'reply before' });
  const received = async (): Promise<string[]> =>
    (await client.get(`/devices/${device.id}/events?limit=1000`)).body.events
      .filter(({ type }: { type: string }) => type === 'message.received')
      .map(({ data }: { data: { message: { text: string } } }) => data.message.text);
  await eventually('the reply', async () => (await received()).includes('reply before'));

  for (const [name, size] of [
    ['large', 1_048_576],
    ['small', 4096],
  ] as const) {
    assert.throws(() => {
      for (let n = 0; ; n += 1) writeFileSync(join(disk, `ballast-${name}-${n}`), Buffer.alloc(size));
    });
  }
  await eventually('it says so', async () => (await fetch(`${handset.url}/health/ready`)).status === 503);
  const meanwhile = send('meanwhile');
  // What cannot be written is not acknowledged: the network keeps it, and the session is renewed until it can.
  await phones.write(bob, { to: ada, text: 'while it was full' });
  assert.equal((await client.get('/devices')).status, 200, 'what is there can be read');
  const refused = await client.post('/keys', { name: 'a key' });
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.equal(refused.headers.get('retry-after'), '5');

  assert.deepEqual(posted('while it was full'), [], 'nothing is posted that is not stored');

  run('sh', '-c', `rm -f ${disk}/ballast-*`);
  await eventually('it is ready', async () => (await fetch(`${handset.url}/health/ready`)).status === 200);
  await eventually('what came meanwhile', async () => (await received()).includes('while it was full'), 30_000);
  await eventually('open again', isOpen);
  assert.equal((await send('after')).status, 200);
  await eventually('it is shown', async () => (await phones.messages(bob)).some(({ text }) => text === 'after'));
  // It waited for the session, or was refused: in either case the answer is true.
  const { status } = await meanwhile;
  assert.ok([200, 404, 503].includes(status), String(status));
  const shown = (await phones.messages(bob)).filter(({ text }) => text === 'meanwhile');
  assert.equal(shown.length, status === 200 ? 1 : 0);
  const texts = await received();
  assert.deepEqual([...new Set(texts)].sort(), [...texts].sort(), 'and nothing twice');
  await eventually('it is posted', () => posted('while it was full').length > 0);
  assert.equal(new Set(posted('while it was full').map(({ event }) => event.id)).size, 1);
  await handset.close();
  await sandbox.close();
  rmSync(join(disk, 'data'), { recursive: true });
});
