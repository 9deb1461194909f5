/** A running installation as its operator sees it: metrics, a log without private data, and a graceful stop. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import sharp from 'sharp';
import { readConfig } from '../../src/config.ts';
import { startHandset } from '../../src/main.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { api } from '../support/api.ts';
import { quickClock } from '../support/clock.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { phonesOf } from '../support/phones.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilOpen } from './steps.ts';

const root = join(import.meta.dirname, '..', '..');

/** `name{labels} value` of every sample. */
const samplesOf = async (url: string): Promise<Map<string, number>> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );
};

/** All of the data folder but the secret, while the service runs. */
const filesOf = (dataDir: string): Map<string, Buffer> =>
  new Map(
    readdirSync(dataDir)
      .filter((name) => name !== 'secret')
      .map((name) => [name, readFileSync(join(dataDir, name))]),
  );

test('metrics count what happens, and the dashboard asks for nothing else', async () => {
  await using installation = await startInstallation();
  await addPhones(installation);
  await using receiver = await startReceiver();
  const id = await linkDevice(installation, ada, { webhookUrl: receiver.url });
  const { api: client, handset } = installation;
  assert.equal((await client.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'x' })).status, 200);
  assert.equal((await client.post(`/devices/${id}/messages/text`, { toNumber: '49155999', message: 'x' })).status, 400);
  await receiver.until(3);
  const samples = await eventually('the deliveries are recorded', async () => {
    const now = await samplesOf(handset.url);
    return (
      (now.get('handset_deliveries_total{outcome="delivered",webhook="primary"}') ?? 0) >= 3 &&
      now.get('handset_outbox_depth') === 0 &&
      now
    );
  });
  assert.equal(samples.get('handset_sends_total{kind="text",outcome="accepted"}'), 1);
  assert.equal(samples.get('handset_sends_total{kind="text",outcome="InvalidRequest"}'), 1);
  assert.equal(samples.get('handset_sessions{state="open"}'), 1);
  assert.equal(samples.get('handset_sessions{state="reconnecting"}'), 0);
  assert.equal(samples.get('handset_events_total{type="message.sent"}'), 1);
  assert.equal(samples.get('handset_outbox_age_seconds'), 0);
  assert.equal(samples.get('handset_database_up'), 1);
  assert.ok(samples.get('handset_database_bytes')! > 0);
  assert.ok(samples.get('handset_database_commit_seconds_count')! > 5);
  assert.ok(samples.get('handset_event_loop_delay_p99_seconds')! > 0);
  assert.ok(samples.has('handset_reconnects_total'));
  const route = '/v1/devices/:id/messages/text';
  assert.equal(samples.get(`handset_http_requests_total{method="POST",route="${route}",status="200"}`), 1);
  const known = new Set([...samples.keys()].map((name) => name.replace(/\{.*/, '')));
  const board: unknown = JSON.parse(readFileSync(join(root, 'docs', 'grafana.json'), 'utf8'));
  const expressions = [...JSON.stringify(board).matchAll(/"expr":"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!);
  assert.ok(expressions.length >= 10);
  for (const expression of expressions) {
    const names = expression.match(/\b(?:handset|process)_\w+/g) ?? [];
    assert.ok(names.length > 0, expression);
    for (const name of names) assert.ok(known.has(name), `${name} in ${expression}`);
  }
});

test('a graceful stop lets a send finish, keeps the link, and takes less than 10 s', async () => {
  await using installation = await startInstallation();
  await addPhones(installation);
  const id = await linkDevice(installation);
  const { url } = installation.handset;
  const first = { toNumber: bob, message: 'a first one, so that the session is there' };
  await installation.api.post(`/devices/${id}/messages/text`, first);
  await installation.phones.request('PUT', '/faults', { ackDelayMs: 1500 });
  const last = { toNumber: bob, message: 'the last one before the stop' };
  const sending = installation.api.post(`/devices/${id}/messages/text`, last);
  await eventually('the phone has it', async () =>
    (await installation.phones.messages(bob)).some(({ text }) => text === last.message),
  );
  const idle = await fetch(`${url}/health/live`);
  assert.equal(idle.status, 200);
  const began = performance.now();
  const stopping = installation.stop();
  const answer = await sending;
  assert.deepEqual([answer.status, answer.body.status], [200, 'success']);
  await stopping;
  assert.ok(performance.now() - began < 20_000, `it took ${Math.round(performance.now() - began)} ms`);
  await assert.rejects(fetch(`${url}/health/live`));
  assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1, 'the phone still lists the device');
  await installation.phones.request('DELETE', '/faults');
  await installation.restart();
  await untilOpen(installation, id);
  const kinds = await eventually('the last event', async () => {
    const all = (await eventsOf(installation, id)).map(({ type }) => type);
    return all.at(-1) === 'connection.open' && all.filter((type) => type.startsWith('connection.'));
  });
  assert.deepEqual(kinds, ['connection.auth', 'connection.open', 'connection.closed', 'connection.open']);
  const shown = (await installation.phones.messages(bob)).filter(({ text }) => text === last.message);
  assert.equal(shown.length, 1);
});

test('a stop waits for nobody who does not finish', async () => {
  const clock = quickClock(2);
  await using installation = await startInstallation({}, undefined, clock);
  await addPhones(installation);
  await using receiver = await startReceiver();
  receiver.answer('hang');
  const id = await linkDevice(installation, ada, { webhookUrl: receiver.url });
  await receiver.until(1);
  await installation.phones.request('PUT', '/faults', { withholdAcks: true });
  const stuck = installation.api
    .post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'x' })
    .catch(() => undefined);
  await eventually('the phone has it', async () => (await installation.phones.messages(bob)).length > 0);
  const began = clock.now();
  await installation.stop();
  const took = clock.now() - began;
  assert.ok(took > 5_000 && took < 20_000, `it took ${took} ms`);
  await stuck;
});

test('neither the log nor the stolen files have a number, text, name, key, code or address of a chat', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-'));
  const sandbox = await startSandbox({ port: 0 });
  await using receiver = await startReceiver();
  const adminToken = 'the-admin-token-that-nobody-may-see';
  const config = readConfig({
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: ownerKey,
    HANDSET_NETWORK: sandbox.controlUrl,
    HANDSET_ALLOW_PRIVATE_URLS: 'true',
    HANDSET_ADMIN_TOKEN: adminToken,
  });
  const handset = await startHandset(config, { log });
  const client = api(`${handset.url}/v1`, ownerKey);
  const admin = api(`${handset.url}/admin/v1`, adminToken);
  const phones = phonesOf(sandbox.controlUrl);
  const cara = '4915550003333';
  for (const [number, name] of [
    [ada, 'Ada Lovelace'],
    [bob, 'Bob Privateman'],
    [cara, 'Cara Codeuser'],
  ] as const) {
    await phones.add(number, name);
  }
  const webhook = `${receiver.url}/hook?token=token-in-the-url`;
  const { device } = (await client.post('/devices', { webhookUrl: webhook })).body;
  await phones.scan(ada, device.qr);
  await eventually(
    'open',
    async () => (await client.get(`/devices/${device.id}/session`)).body.session.state === 'open',
  );
  const byCode = (await client.post('/devices', { phoneNumber: cara })).body;
  await phones.enterCode(cara, byCode.pairingCode);
  const send = `/devices/${device.id}/messages`;
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const answers = [
    await client.post(`${send}/text`, { toNumber: bob, message: 'a text that is nobody’s business' }),
    await client.post(`${send}/media`, {
      toNumber: bob,
      mediaBase64: image.toString('base64'),
      mediaCaption: 'a caption as well',
    }),
    await client.post(`${send}/text`, { toNumber: '4915550009999', message: 'to nobody' }),
    await client.post(`${send}/text`, { toNumber: 'not-a-number-4915550008888', message: 'x' }),
    await client.post(`${send}/media`, { toNumber: bob, mediaUrl: `${receiver.url}/not-an-image-4915550007777` }),
    await client.get(`${send}?chat=${bob}@s.whatsapp.net`),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 400, 400, 400, 200],
  );
  receiver.answer({ status: 500, body: 'an answer that repeats the text' });
  await phones.write(bob, { to: ada, text: 'a reply that is private, too' });
  await receiver.until(1, ({ body }) => body.includes('a reply that is private'));
  await phones.request('POST', '/drop', {});
  await eventually(
    'open again',
    async () =>
      lines.some((line) => line.includes('reconnecting')) &&
      (await client.get(`/devices/${device.id}/session`)).body.session.state === 'open',
  );
  await phones.request('PUT', '/faults', { rejectSends: true });
  await client.post(`${send}/text`, { toNumber: bob, message: 'a text that the network refuses' });
  await phones.request('DELETE', '/faults');
  const { secret } = (await client.get(`/devices/${device.id}/webhook`)).body.webhook;
  const second = (await client.post('/keys', { name: 'the second key' })).body.key;
  await api(client.baseUrl, `hs_${'Z'.repeat(43)}`).get(`/devices?cursor=4915550006666`);
  await admin.get('/users');
  const files = filesOf(dataDir);
  await client.post(`/devices/${device.id}/disconnect`);
  await client.delete(`/devices/${device.id}`);
  const { lid } = await phones.get(ada);
  const bobLid = (await phones.get(bob)).lid;
  await handset.close();
  await sandbox.close();
  await rm(dataDir, { recursive: true });
  const written = lines.join('');
  const names = ['generation.json', 'handset.db', 'handset.db-shm', 'handset.db-wal', 'lock'];
  assert.deepEqual([...files.keys()].sort(), names);
  assert.ok(files.get('handset.db-wal')!.length > 100_000, 'the log of the database was looked at while it was full');
  assert.ok(lines.length > 20 && written.includes('"route":"/v1/devices/:id/messages/text"'));
  const secrets = {
    numbers: [ada, bob, cara, '4915550009999', '4915550008888', '4915550007777', '4915550006666'],
    lids: [lid, bobLid].map((jid) => jid.split('@')[0]!),
    names: ['Lovelace', 'Privateman', 'Codeuser'],
    texts: ['nobody’s business', 'a caption', 'a reply', 'refuses', 'repeats the text', 'to nobody'],
    keys: [ownerKey, second.secret, adminToken, secret.slice(6), `hs_${'Z'.repeat(43)}`, 'token-in-the-url'],
    codes: [byCode.pairingCode, device.qr.slice(30, 130)],
  };
  const isSomewhere = (text: string): boolean => [...files.values()].some((bytes) => bytes.includes(text));
  assert.ok(isSomewhere('the second key'), 'what is no secret is found: the search works');
  for (const [kind, values] of Object.entries(secrets)) {
    for (const value of values) {
      const line = lines.find((one) => one.includes(value));
      assert.equal(line, undefined, `${kind}: ${value} is in the log`);
      for (const [name, bytes] of files) assert.ok(!bytes.includes(value), `${kind}: ${value} is in ${name}`);
    }
  }
});
