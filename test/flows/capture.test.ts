/** `handset capture`: the structure of a device's traffic in a file, and nothing else of it (docs/internals/wire.md, Capture). */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BinaryNode } from 'baileys';
import type { Recorded } from '../../sandbox/src/base/recorder.ts';
import { openShell } from '../cli/terminal.support.ts';
import { jpeg } from '../parity/picture.ts';
import { api } from '../support/api.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob, untilEvent, untilOpen, untilShown } from './steps.ts';

const adminToken = 'the-admin-token-of-the-installation';
const recorded: Recorded[] = [];
let installation: Installation;
let shell: Awaited<ReturnType<typeof openShell>>;
let file: string;
let device: number;

const admin = () => api(`${installation.handset.url}/admin/v1`, adminToken);

/** Everything that was said, from the link on, while the command captures. */
const converse = async (qr: string): Promise<void> => {
  const { phones } = installation;
  await phones.scan(ada, qr);
  await untilOpen(installation, device);
  const said = { toNumber: bob, message: 'meet me at the old mill' };
  assert.equal((await installation.api.post(`/devices/${device}/messages/text`, said)).status, 200);
  await untilShown(installation, bob, said.message);
  const image = (await jpeg()).toString('base64');
  const picture = { toNumber: bob, mediaBase64: image, mediaCaption: 'the mill' };
  assert.equal((await installation.api.post(`/devices/${device}/messages/media`, picture)).status, 200);
  const [id] = await phones.write(bob, { to: ada, text: 'at nine?' });
  const isIt = (data: { message: { id: string } }): boolean => data.message.id === id;
  await untilEvent(installation, device, 'message.received', isIt);
  await phones.request('POST', `/phones/${bob}/messages/${id}/react`, { emoji: '👍' });
  await untilEvent(installation, device, 'message.updated', (data: { update: object }) => 'reaction' in data.update);
};

before(async () => {
  installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken }, undefined, undefined, {
    record: (entry) => recorded.push(entry),
  });
  const { url } = installation.handset;
  shell = await openShell({ HANDSET_URL: url, HANDSET_ADMIN_TOKEN: adminToken });
  file = join(installation.dataDir, 'capture.json');
  await installation.phones.add(ada, 'Adalbert Zwick');
  await installation.phones.add(bob, 'Bobine Quast');
  const created = (await installation.api.post('/devices', { name: 'The mill' })).body.device;
  device = created.id;
  const capturing = shell.handset(['capture', String(device), file, '--for', '24h']);
  await eventually('a capture', async () => (await admin().get(`/devices/${device}/capture`)).status === 200);
  await converse(created.qr);
  // It ends with the capture, wherever that was ended.
  const ended = (await admin().get(`/devices/${device}/capture`)).body.capture;
  await eventually('the file has all of it', async () => {
    const { shapes } = JSON.parse(await readFile(file, 'utf8')) as { shapes: readonly unknown[] };
    return shapes.length >= ended.shapes.length;
  });
  assert.equal((await admin().delete(`/devices/${device}/capture`)).status, 200);
  assert.equal((await capturing).code, 1);
});
after(async () => {
  await shell[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

function* nodesIn(node: BinaryNode): Generator<BinaryNode> {
  yield node;
  if (Array.isArray(node.content)) for (const child of node.content) yield* nodesIn(child);
}

/** Ids, numbers, JIDs, times, and everything binary, as the network saw it. */
const secretsOf = (): Set<string> => {
  const secrets = new Set(['mill', 'nine', 'Adalbert', 'Zwick', 'Bobine', 'Quast', '👍', ada, bob]);
  const stanzas = recorded.flatMap((entry) => (entry.kind === 'stanza' ? [...nodesIn(entry.node)] : []));
  for (const { attrs, content } of stanzas) {
    for (const value of Object.values(attrs)) {
      for (const digits of value.match(/\d{4,}/g) ?? []) secrets.add(digits);
      if (/\d{2}/.test(value) && value.length > 6) secrets.add(value);
    }
    if (!(content instanceof Uint8Array) || content.length < 8) continue;
    for (const encoding of ['utf8', 'hex', 'base64'] as const) secrets.add(Buffer.from(content).toString(encoding));
  }
  return secrets;
};

test('the file has what was said in both directions, and nothing of its content', async () => {
  const text = await readFile(file, 'utf8');
  const { shapes } = JSON.parse(text) as { shapes: readonly { shape: string }[] };
  const seen = shapes.map(({ shape }) => shape);
  for (const part of [
    'in iq',
    '/pair-device',
    'in success',
    'out message[type=text]',
    'out receipt',
    '/enc[type=pkmsg]',
  ])
    assert.ok(
      seen.some((shape) => shape.includes(part)),
      part,
    );
  const secrets = secretsOf();
  assert.ok(secrets.size > 300, `${secrets.size} secrets`);
  const bare = seen.join('\n');
  assert.deepEqual(
    [...secrets].filter((secret) => bare.includes(secret)),
    [],
  );
  assert.doesNotMatch(bare, /\d{4}|@/);
});

test('a capture of the sandbox compares clean, and what is new is shown', async () => {
  const clean = await shell.handset(['capture', 'compare', file]);
  assert.equal(clean.code, 0, clean.stdout + clean.stderr);
  const captured = JSON.parse(await readFile(file, 'utf8')) as { shapes: object[] };
  captured.shapes.push({ shape: 'in weather[type=rain]', count: 3 });
  const other = join(installation.dataDir, 'other.json');
  await writeFile(other, JSON.stringify(captured));
  const differs = await shell.handset(['capture', 'compare', other]);
  assert.equal(differs.code, 5);
  assert.equal(differs.stdout, '     3  in weather[type=rain]\n');
  assert.match(differs.stderr, /1 of \d+ shapes were never seen in the sandbox/);
  await writeFile(other, '{}');
  assert.equal((await shell.handset(['capture', 'compare', other])).code, 1);
});

test("it is the operator's alone, lasts a day at most, and overwrites nothing", async () => {
  const path = `/devices/${device}/capture`;
  assert.equal((await installation.api.post(path, { seconds: 1 })).status, 404);
  assert.equal((await api(`${installation.handset.url}/admin/v1`, 'wrong').post(path, { seconds: 1 })).status, 401);
  assert.equal((await admin().post(path, { seconds: 86_401 })).status, 400);
  assert.equal((await admin().get(path)).status, 404, 'off unless it is started');
  assert.equal((await admin().post('/devices/999999/capture', { seconds: 1 })).status, 404);
  assert.equal((await shell.handset(['capture', String(device), file, '--for', '25h'])).code, 2);
  assert.equal((await shell.handset(['capture', String(device), file])).code, 1, 'the file is there');
  const short = join(installation.dataDir, 'short.json');
  const done = await shell.handset(['capture', String(device), short, '--for', '1s']);
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await admin().get(path)).status, 404, 'it was ended');
  const [entry] = (await admin().get('/audit?limit=1')).body.entries;
  assert.equal(entry.action, 'device.captured');
});
