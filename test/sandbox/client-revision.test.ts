/** Stock Baileys and the revision of its client: accepted, not linkable, refused; and the page that tells the current one. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEFAULT_CONNECTION_CONFIG, fetchLatestWaWebVersion } from 'baileys';
import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { type Phones, phonesOf } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { Companion } from './companion.ts';

const number = '4915120000001';
const bundled = DEFAULT_CONNECTION_CONFIG.version[2];
const newer: [number, number, number] = [2, 3000, bundled + 1];
/** The usual ones, where a test sets others. */
const usual = { accepted: 1, linkable: 1, current: bundled + 1 };

describe('the client revision', () => {
  let sandbox: Sandbox;
  let phones: Phones;
  before(async () => {
    sandbox = await startSandbox();
    phones = phonesOf(sandbox.controlUrl);
    await phones.add(number, 'Ada');
  });
  after(() => sandbox.close());
  afterEach(async () => {
    await phones.request('DELETE', '/faults');
  });

  it('of stock Baileys is accepted and linked unless told otherwise', async () => {
    await using companion = new Companion(sandbox);
    await companion.link((qr) => phones.scan(number, qr));
  });

  it('below `accepted` gets 405 straight after the handshake, to register and to log in', async () => {
    await using companion = new Companion(sandbox);
    await companion.link((qr) => phones.scan(number, qr));
    await companion.end();
    await phones.faults({ clientRevision: { ...usual, accepted: bundled + 1 } });
    companion.connect();
    assert.equal(await eventually('the end', () => companion.closed), 405);
    await using fresh = new Companion(sandbox);
    fresh.connect();
    assert.equal(await eventually('the end', () => fresh.closed), 405);
    assert.equal(fresh.qr, null);
    await using current = new Companion(sandbox, { version: newer });
    await current.link((qr) => phones.scan(number, qr));
  });

  it('below `linkable` gets a QR that no phone can link, and hears nothing of it', async () => {
    const clientRevision = { ...usual, linkable: bundled + 1 };
    await phones.faults({ clientRevision });
    await using companion = new Companion(sandbox);
    companion.connect();
    const qr = await eventually('a QR', () => companion.qr);
    await assert.rejects(phones.scan(number, qr), /Couldn't link device/);
    assert.equal(companion.closed, null);
    assert.equal(companion.creds.account, undefined);
    // As on the real network (Baileys #2679): the refs run out, and the network ends the stream.
    await phones.faults({ clientRevision, expireQrAfterMs: 50 });
    await using late = new Companion(sandbox);
    late.connect();
    assert.equal(await eventually('the end', () => late.closed), 428);
    await phones.faults({ clientRevision });
    await using current = new Companion(sandbox, { version: newer });
    await current.link((text) => phones.scan(number, text));
  });

  it('below `linkable` gets a code that no phone can link', async () => {
    await phones.faults({ clientRevision: { ...usual, linkable: bundled + 1 } });
    await using companion = new Companion(sandbox);
    companion.connect();
    await eventually('a QR', () => companion.qr);
    const code = await companion.socket.requestPairingCode(number);
    await assert.rejects(phones.enterCode(number, code), /Couldn't link device/);
    assert.equal(companion.closed, null);
    await using current = new Companion(sandbox, { version: newer });
    await current.linkByCode(number, (text) => phones.enterCode(number, text));
  });

  it("is told by a page that stock Baileys' own reader understands, and that answers only browsers", async () => {
    await phones.faults({ clientRevision: { current: bundled + 7 } });
    const real = globalThis.fetch;
    const asked: string[] = [];
    globalThis.fetch = (input, init) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      return real(sandbox.versionUrl, init);
    };
    try {
      assert.deepEqual(await fetchLatestWaWebVersion(), { version: [2, 3000, bundled + 7], isLatest: true });
    } finally {
      globalThis.fetch = real;
    }
    assert.deepEqual(asked, ['https://web.whatsapp.com/sw.js']);
    const chrome =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
    for (const headers of [{}, { 'user-agent': chrome }, { 'sec-fetch-site': 'none' }]) {
      assert.equal((await fetch(sandbox.versionUrl, { headers })).status, 400);
    }
    const bad = await fetch(`${sandbox.controlUrl}/faults`, { method: 'PUT', body: '{"clientRevision":{"newest":1}}' });
    assert.match(await bad.text(), /newest is unknown in clientRevision; known: current, linkable, accepted/);
  });
});
