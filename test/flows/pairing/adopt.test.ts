/** A linked account moves in from stock Baileys without a scan, writes and reads on, and moves out again. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as baileys from 'baileys';
import { useMultiFileAuthState } from 'baileys';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, statusOf, untilEvent, untilOpen } from '../steps.ts';

const cyd = '4915550003333';
type Files = Record<string, string>;

let installation: Installation;
let place: Place;
let folder: string;
/** What stock Baileys had written when it was stopped. */
let files: Files;
let group: string;
/** Bob's address by LID, by which the network takes messages of stock Baileys. */
let bobsLid: string;
let id: number;

const filesIn = async (path: string): Promise<Files> => {
  const names = await readdir(path);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const)),
  );
};

/** A stock client on the files of a folder. */
const stockOn = async (path: string): Promise<Companion> => {
  const { state, saveCreds } = await useMultiFileAuthState(path);
  const client = new Companion(place, {}, baileys, state);
  client.onConnect = (socket) =>
    socket.ev.on('creds.update', (update) => {
      Object.assign(state.creds, update);
      void saveCreds();
    });
  return client;
};

const textsAt = async (number: string): Promise<readonly (string | null)[]> =>
  (await installation.phones.messages(number)).map(({ text }) => text);

const shownAt = (number: string, text: string) =>
  eventually(`${text} at ${number}`, async () => (await textsAt(number)).includes(text));

const textOf = (client: Companion, text: string) =>
  eventually(text, () =>
    client.messages.find(({ message }) => (message?.conversation ?? message?.extendedTextMessage?.text) === text),
  );

before(async () => {
  installation = await startInstallation();
  for (const [number, name] of [
    [ada, 'Ada'],
    [bob, 'Bob'],
    [cyd, 'Cyd'],
  ] as const)
    await installation.phones.add(number, name);
  bobsLid = (await installation.phones.get(bob)).lid;
  place = await installation.phones.request<Place>('GET', '/');
  folder = await mkdtemp(join(tmpdir(), 'handset-adopt-'));
  await using client = await stockOn(folder);
  await client.link((qr) => installation.phones.scan(ada, qr));
  const made = await client.socket.groupCreate('Three', [`${bob}@s.whatsapp.net`, `${cyd}@s.whatsapp.net`]);
  group = made.id;
  await client.socket.sendMessage(bobsLid, { text: 'before, to Bob' });
  await client.socket.sendMessage(group, { text: 'before, to all' });
  await shownAt(bob, 'before, to Bob');
  await shownAt(cyd, 'before, to all');
  await installation.phones.write(bob, { to: ada, text: 'before, from Bob' });
  await textOf(client, 'before, from Bob');
  await installation.phones.write(cyd, { to: group, text: 'before, from Cyd' });
  await textOf(client, 'before, from Cyd');
  await client.end();
  await eventually('all is written', async () =>
    (await readdir(folder)).some((name) => name.startsWith('sender-key-')),
  );
  files = await filesIn(folder);
});
after(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('what cannot be moved is refused in words, and nothing is made', async () => {
  const { 'creds.json': creds, ...keys } = files;
  const changed = (change: (value: Record<string, never>) => object): Files => ({
    'creds.json': JSON.stringify(change(JSON.parse(creds!))),
  });
  const other = JSON.parse(JSON.stringify(baileys.initAuthCreds(), baileys.BufferJSON.replacer));
  for (const [given, words] of [
    [keys, /no creds\.json/],
    [{ 'creds.json': 'null' }, /not the credentials/],
    [{ 'creds.json': '{' }, /not the credentials/],
    [{ 'creds.json': JSON.stringify(other) }, /never linked/],
    [changed((value) => ({ ...value, account: undefined })), /never linked/],
    [changed((value) => ({ ...value, signedPreKey: undefined })), /lacks keys/],
    [changed((value) => ({ ...value, noiseKey: { public: 'x', private: 'y' } })), /lacks keys/],
    [changed((value) => ({ ...value, signedIdentityKey: other.signedIdentityKey })), /different sessions/],
    [changed((value) => ({ ...value, me: { id: 'x'.repeat(65_536) } })), /never linked/],
  ] as const) {
    const { status, body } = await installation.api.post('/devices/adopt', { files: given });
    assert.equal(status, 400, JSON.stringify(given).slice(0, 200));
    assert.match(body.status.message, words);
  }
  assert.equal((await installation.api.post('/devices/adopt', { files: [] })).status, 400);
  assert.equal((await installation.api.post('/devices/adopt', {})).status, 400);
  assert.deepEqual((await installation.api.get('/devices')).body.devices, []);
});

test('the account moves in and goes on with the same people and groups', async () => {
  const given = { ...files, 'pre-key-9999.json': '{"public":1}', 'notes.txt': 'hello' };
  const adopt = () =>
    installation.api.call(
      'POST',
      '/devices/adopt',
      { files: given, name: 'Front desk' },
      { headers: { 'idempotency-key': 'in' } },
    );
  const { status, body } = await adopt();
  assert.equal(status, 200, JSON.stringify(body.status));
  id = body.device.id;
  const { body: repeated } = await adopt();
  assert.deepEqual(
    [repeated.device.id, repeated.adopted],
    [id, body.adopted],
    'two would end each other’s connections',
  );
  assert.equal((await installation.api.get('/devices')).body.devices.length, 1);
  assert.equal(body.device.name, 'Front desk');
  assert.ok(
    body.adopted.sessions >= 2 && body.adopted.groupKeys === 2 && body.adopted.preKeys > 0,
    JSON.stringify(body.adopted),
  );
  assert.equal(body.adopted.skipped, 2);
  await untilOpen(installation, id);
  assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1, 'the link is the same');
  for (const [to, number] of [
    [`${bob}@s.whatsapp.net`, bob],
    [group, cyd],
  ] as const) {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { to, message: `in, to ${number}` });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await shownAt(number, `in, to ${number}`);
  }
  await installation.phones.write(bob, { to: ada, text: 'in, from Bob' });
  await installation.phones.write(cyd, { to: group, text: 'in, from Cyd' });
  for (const text of ['in, from Bob', 'in, from Cyd'])
    await untilEvent(
      installation,
      id,
      'message.received',
      ({ message }: { message: { text: string } }) => message.text === text,
    );
  const kinds = (await eventsOf(installation, id)).map(({ data }) => JSON.stringify(data));
  assert.deepEqual(
    kinds.filter((data) => data.includes('undecryptable')),
    [],
  );
});

test('it moves out again, and lives on at stock Baileys when the device is deleted here', async () => {
  const { status, body } = await installation.api.post(`/devices/${id}/release`);
  assert.equal(status, 200, JSON.stringify(body.status));
  assert.equal((await installation.api.get(`/devices/${id}`)).body.device.subscription_status, 'inactive');
  const out = await mkdtemp(join(tmpdir(), 'handset-release-'));
  for (const [name, text] of Object.entries(body.files as Files)) await writeFile(join(out, name), text);
  assert.equal((await installation.api.delete(`/devices/${id}`)).status, 200);
  assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1, 'the link lives on');
  {
    await using client = await stockOn(out);
    client.connect();
    await eventually('an open connection', () => client.isOpen);
    await client.socket.sendMessage(bobsLid, { text: 'out, to Bob' });
    await client.socket.sendMessage(group, { text: 'out, to all' });
    await shownAt(bob, 'out, to Bob');
    await shownAt(cyd, 'out, to all');
    await installation.phones.write(bob, { to: ada, text: 'out, from Bob' });
    await textOf(client, 'out, from Bob');
    await installation.phones.write(cyd, { to: group, text: 'out, from Cyd' });
    await textOf(client, 'out, from Cyd');
  }
  await rm(out, { recursive: true });
});

test('a session that another client uses is told once, and is not fought for', async () => {
  await using client = await stockOn(folder);
  const { body } = await installation.api.post('/devices/adopt', { files });
  const device = body.device.id as number;
  await untilOpen(installation, device);
  client.connect();
  const closed = await untilEvent(installation, device, 'connection.closed');
  assert.equal((closed.data as { reason?: string }).reason, 'replaced');
  assert.equal(await statusOf(installation, device), 'timeout');
  await eventually('an open connection', () => client.isOpen);
});
