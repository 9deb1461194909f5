/** A proxy for each device: everything that the device asks of the network goes through it, and what is wrong with it is told. */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import sharp from 'sharp';
import { openPackage } from '../../src/service/devices/package.ts';
import { api } from '../support/api.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { freePort } from '../support/port.ts';
import {
  type Credentials,
  noProxies,
  proxyAddress,
  startMicrosocks,
  startTinyproxy,
} from '../support/proxies/real-proxies.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from './steps.ts';

const adminToken = 'the-admin-token-of-this-installation';

/** All that tinyproxy can have in a password. */
const plain: Credentials = { user: 'carol', password: 'Zq7.s3cret_W' };
const odd: Credentials = { user: 'dave', password: 'Xw8@s3cret:%/ö?#' };

const userInfo = ({ user, password }: Credentials): string => `${user}:${encodeURIComponent(password)}`;

/** Forms in which a password could be found. */
const formsOf = ({ user, password }: Credentials): readonly string[] => [
  password,
  encodeURIComponent(password),
  Buffer.from(`${user}:${password}`).toString('base64'),
];

/** Remote addresses of the connections that servers of this process take at these ports. */
const watchPorts = (isWatched: (port: number) => boolean) => {
  const from: { readonly port: number; readonly address: string }[] = [];
  const note = (message: unknown): void => {
    const { localPort = 0, remoteAddress = '' } = (message as { socket: Socket }).socket;
    if (isWatched(localPort)) from.push({ port: localPort, address: remoteAddress });
  };
  channel('net.server.socket').subscribe(note);
  return { from, [Symbol.dispose]: () => channel('net.server.socket').unsubscribe(note) };
};

describe('a proxy for each device', { skip: noProxies }, () => {
  let installation: Installation;
  let picture: string;
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

  before(async () => {
    installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken }, undefined, undefined, { log });
    await addPhones(installation);
    const image = sharp({ create: { width: 64, height: 64, channels: 3, background: '#1a7' } });
    picture = (await image.jpeg().toBuffer()).toString('base64');
  });
  after(() => installation[Symbol.asyncDispose]());

  /** Ports of this process that are not the network's. */
  const own = (): readonly number[] =>
    [installation.handset.url, installation.phones.controlUrl].map((one) => Number(new URL(one).port));

  const setProxy = (id: number, proxy: string | null) => installation.api.put(`/devices/${id}/settings`, { proxy });
  const session = async (id: number) => (await installation.api.get(`/devices/${id}/session`)).body.session;
  const untilReason = (id: number, words: string) =>
    eventually(`the reason: ${words}`, async () => String((await session(id)).reason).includes(words));

  /** Links a device whose proxy is set before the phone scans. */
  const linkThrough = async (number: string, proxy: string): Promise<number> => {
    const { device } = (await installation.api.post('/devices', {})).body;
    const { status, body } = await setProxy(device.id, proxy);
    assert.deepEqual([status, body.settings.proxy], [200, proxy.replace(/\/\/.*@/, '//')], JSON.stringify(body));
    const qr = await eventually('a QR code that came through the proxy', async () => {
      const now = (await installation.api.get(`/devices/${device.id}`)).body.device;
      return now.status === 'qr' && now.qr !== device.qr && now.qr;
    });
    await installation.phones.scan(number, qr);
    await untilOpen(installation, device.id);
    return device.id as number;
  };

  const converse = async (id: number, number: string): Promise<void> => {
    for (const [path, body] of [
      ['text', { message: 'through' }],
      ['media', { mediaBase64: picture }],
    ] as const) {
      const sent = await installation.api.post(`/devices/${id}/messages/${path}`, { toNumber: bob, ...body });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
    }
    const written = [{ text: 'and back' }, { imageBase64: picture }];
    for (const message of written) {
      const [messageId] = await installation.phones.write(bob, { to: number, ...message });
      const isIt = (data: { message: { id: string } }) => data.message.id === messageId;
      await untilEvent(installation, id, 'message.received', isIt);
      if (!('imageBase64' in message)) continue;
      const answer = await installation.api.fetch(`/devices/${id}/messages/${messageId}/media`);
      assert.equal(Buffer.from(await answer.arrayBuffer()).toString('base64'), picture);
    }
  };

  for (const [at, { name, start, url }] of [
    { name: 'http', start: () => startTinyproxy(), url: (port: number) => `http://127.0.0.1:${port}` },
    {
      name: 'http with a password',
      start: () => startTinyproxy(plain),
      url: (port: number) => `http://${userInfo(plain)}@127.0.0.1:${port}`,
    },
    { name: 'socks5', start: () => startMicrosocks(), url: (port: number) => `socks5://127.0.0.1:${port}` },
    {
      name: 'socks5 with a password',
      start: () => startMicrosocks(odd),
      url: (port: number) => `socks5://${userInfo(odd)}@127.0.0.1:${port}`,
    },
  ].entries()) {
    it(`${name}: carries the pairing, texts and images, and nothing goes directly`, async () => {
      const number = `49155500033${at}0`;
      await installation.phones.add(number, 'Dora');
      await using proxy = await start();
      using taken = watchPorts((port) => !own().includes(port));
      const { device } = (await installation.api.post('/devices', {})).body;
      await installation.api.delete(`/devices/${device.id}`);
      assert.ok(
        taken.from.some(({ address }) => address === '127.0.0.1'),
        'a device without a proxy is seen',
      );
      const id = await linkThrough(number, url(proxy.port));
      // The pairing that began before the proxy was set.
      const last = taken.from.findLastIndex(({ address }) => address !== proxyAddress);
      const through = taken.from.slice(last + 1);
      assert.equal(through.length, 2, 'one for the pairing, and one after it');
      await converse(id, number);
      assert.deepEqual([...new Set(taken.from.slice(last + 1).map(({ address }) => address))], [proxyAddress]);
      assert.equal(new Set(taken.from.slice(last + 1).map(({ port }) => port)).size, 2, 'socket and media host');
      await eventually('its log to tell them all', () => proxy.connections() === taken.from.length - last - 1);
      await installation.api.delete(`/devices/${id}`);
    });
  }

  it('says in words what is wrong with a proxy, and is open again once it is right', async () => {
    await using http = await startTinyproxy(plain);
    await using socks = await startMicrosocks(odd);
    const id = await linkDevice(installation);
    for (const [proxy, words] of [
      [`http://127.0.0.1:${await freePort()}`, 'the proxy cannot be reached: the connection was refused'],
      [`http://127.0.0.1:${http.port}`, 'the proxy asks for a user name and a password'],
      [`http://carol:wrong@127.0.0.1:${http.port}`, 'the proxy refuses its user name or password'],
      [`socks5://127.0.0.1:${socks.port}`, 'the proxy asks for a user name and a password'],
      [`socks5h://dave:wrong@127.0.0.1:${socks.port}`, 'the proxy refuses its user name or password'],
      [`http://127.0.0.1:${socks.port}`, 'the proxy does not speak HTTP'],
    ] as const) {
      assert.equal((await setProxy(id, proxy)).status, 200);
      await untilReason(id, words);
    }
    const { body } = await setProxy(id, `socks5h://${userInfo(odd)}@127.0.0.1:${socks.port}`);
    await untilOpen(installation, id);
    // What is given back as it was shown changes nothing, neither the password nor the session.
    const shown = body.settings.proxy as string;
    assert.deepEqual((await setProxy(id, shown)).body.settings.proxy, `socks5://127.0.0.1:${socks.port}`);
    assert.equal((await session(id)).state, 'open');
    // A proxy that goes away under an open session.
    await socks[Symbol.asyncDispose]();
    await untilReason(id, 'the proxy cannot be reached: the connection was refused');
    assert.equal((await setProxy(id, null)).body.settings.proxy, null);
    await untilOpen(installation, id);
    await installation.api.delete(`/devices/${id}`);
  });

  it('is used from the first QR on where a device is created with it', async () => {
    await using proxy = await startMicrosocks(odd);
    using taken = watchPorts((port) => !own().includes(port));
    const url = `socks5h://${userInfo(odd)}@127.0.0.1:${proxy.port}`;
    const created = await installation.api.post('/devices', { proxy: url });
    assert.equal(created.body.device.status, 'qr', JSON.stringify(created.body));
    assert.deepEqual(
      taken.from.map(({ address }) => address),
      [proxyAddress],
    );
    await installation.api.delete(`/devices/${created.body.device.id}`);
    const dead = await installation.api.post('/devices', { proxy: `http://127.0.0.1:${await freePort()}` });
    const words = 'The device could not be paired: the proxy cannot be reached: the connection was refused';
    assert.deepEqual(dead.body.status, { code: 400, message: words });
    const { message } = (await installation.api.post('/devices', { proxy: 'ftp://u:s3cret@a.example' })).body.status;
    assert.equal(message, 'proxy must begin with http://, https://, socks5:// or socks5h://');
  });

  it('says it of a pairing, too, and pairs once the proxy is right', async () => {
    const { device } = (await installation.api.post('/devices', {})).body;
    await setProxy(device.id, `http://127.0.0.1:${await freePort()}`);
    await untilReason(device.id, 'the proxy cannot be reached: the connection was refused');
    const restarted = await installation.api.post(`/devices/${device.id}/restart`);
    assert.equal(restarted.status, 400, JSON.stringify(restarted.body));
    await setProxy(device.id, null);
    await installation.api.post(`/devices/${device.id}/restart`);
    assert.equal((await installation.api.get(`/devices/${device.id}`)).body.device.status, 'qr');
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('keeps the password to itself', async () => {
    await using proxy = await startTinyproxy(plain);
    const id = await linkDevice(installation);
    const address = `127.0.0.1:${proxy.port}`;
    const answers = [await setProxy(id, `http://${userInfo(plain)}@${address}`)];
    await untilOpen(installation, id);
    await converse(id, ada);
    for (const path of ['settings', 'session', 'limits', 'events?limit=1000', '']) {
      answers.push(await installation.api.get(`/devices/${id}/${path}`.replace(/\/$/, '')));
    }
    const admin = api(`${installation.handset.url}/admin/v1`, adminToken);
    answers.push(await admin.get('/audit?limit=200'));
    const passphrase = 'a passphrase that is long enough';
    const exported = await admin.post(`/devices/${id}/export`, { passphrase });
    assert.equal(exported.status, 200, JSON.stringify(exported.body));
    const packed = await openPackage(exported.body.export, passphrase);
    assert.ok(packed.includes('"online":false'), 'the package has the other settings');
    const stored = readdirSync(installation.dataDir, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'));
    assert.ok(
      stored.some((text) => text.includes('SQLite format 3')),
      'the database is among the files',
    );
    assert.ok(lines.length > 100, 'there is a log');
    const places = { answers: JSON.stringify(answers), packed, stored: stored.join(''), log: lines.join('') };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...formsOf(plain), ...formsOf(odd)]) {
        assert.ok(!text.includes(secret), `${place}: ${secret}`);
      }
    }
    assert.ok(places.answers.includes(address) && !packed.includes(address));
    // Elsewhere it can have one from its first connection on.
    const carried = proxy.connections();
    const given = { export: exported.body.export, passphrase, proxy: `http://${userInfo(plain)}@${address}` };
    using taken = watchPorts((port) => !own().includes(port));
    const { body } = await admin.post('/users/1/devices', given);
    await untilOpen(installation, body.device.id);
    assert.deepEqual([...new Set(taken.from.map((one) => one.address))], [proxyAddress]);
    await eventually('its log to tell of more', () => proxy.connections() > carried);
  });
});
