/** Accounts behind a passkey: the whole ceremony over the interface, with a key and with a one-time token. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { api } from '../../support/api.ts';
import { shiftedClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import {
  ada,
  addPhones,
  deviceBeforeGate,
  eventsOf,
  untilEvent,
  untilOpen,
  untilPasskey,
  untilStatus,
} from '../steps.ts';

describe('a passkey', () => {
  const clock = shiftedClock();
  let installation: Installation;
  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
    await installation.phones.behave(ada, { linking: 'passkey' });
  });
  after(() => installation[Symbol.asyncDispose]());
  afterEach(async () => {
    await installation.phones.faults({});
    const { devices } = (await installation.api.get('/devices')).body;
    for (const { id } of devices) await installation.api.delete(`/devices/${id}`);
  });

  const passkeyOf = async (id: number) => {
    const { status, body } = await installation.api.get(`/devices/${id}/passkey`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.passkey;
  };
  const sessionOf = async (id: number) => (await installation.api.get(`/devices/${id}/session`)).body.session;
  const gated = (): Promise<number> => deviceBeforeGate(installation);
  const respond = (id: number, credential: object) =>
    installation.api.post(`/devices/${id}/passkey/response`, credential);
  const tokenApi = (token: string) => api(`${installation.handset.url}/v1`, token);

  it('is told in words, as an event, and with all that a browser needs', async () => {
    const id = await gated();
    const event = await untilEvent(installation, id, 'connection.auth', ({ passkey }: { passkey: boolean }) => passkey);
    const { expiresAt, ...rest } = event.data as { expiresAt: string };
    assert.deepEqual(rest, { qr: null, qrText: null, pairingCode: null, passkey: true });
    assert.ok(Date.parse(expiresAt) > Date.now() + 500_000);
    assert.match((await sessionOf(id)).reason, /asks for a passkey/);
    const { device } = (await installation.api.get(`/devices/${id}`)).body;
    assert.deepEqual([device.status, device.qr], ['qr', null]);
    assert.equal((await installation.api.get(`/devices/${id}/qr`)).status, 404);
    const passkey = await passkeyOf(id);
    assert.equal(passkey.step, 'response');
    assert.equal(passkey.options.rpId, 'whatsapp.com');
    assert.equal(passkey.origin, 'https://web.whatsapp.com');
    assert.match(passkey.next, /navigator\.credentials\.get/);
    assert.equal(passkey.responseUrl, `${installation.handset.url}/v1/devices/${id}/passkey/response`);
    const ticket = JSON.parse(Buffer.from(passkey.link.split('#handset=')[1], 'base64url').toString());
    assert.deepEqual(ticket, { options: passkey.options, url: passkey.responseUrl, token: passkey.token });
    assert.equal((await passkeyOf(id)).token, passkey.token, 'whoever asks again gets the same token');
  });

  it('within five minutes links without a code to compare', async () => {
    const id = await gated();
    const { options, handOffUntil } = await passkeyOf(id);
    assert.ok(Date.parse(handOffUntil) - clock.now() > 290_000);
    const answer = await respond(id, await installation.phones.passkey(ada, options));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await untilOpen(installation, id);
    assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1);
    await untilEvent(installation, id, 'connection.open');
    const types = (await eventsOf(installation, id)).map(({ type }) => type);
    assert.deepEqual(types, ['connection.auth', 'connection.auth', 'connection.open']);
    assert.equal((await installation.api.get(`/devices/${id}/passkey`)).status, 404);
  });

  it('later than that needs a person who compares two codes', async () => {
    const id = await gated();
    clock.ahead(301_000);
    const { options } = await passkeyOf(id);
    assert.equal((await installation.api.post(`/devices/${id}/passkey/confirm`)).status, 409);
    assert.equal((await respond(id, await installation.phones.passkey(ada, options))).status, 200);
    const shown = await untilPasskey(installation, id, 'confirm');
    assert.match(shown.code, /^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
    assert.equal(shown.code, (await installation.phones.get(ada)).passkeyCode);
    assert.deepEqual([shown.options, shown.token, shown.link], [null, null, null]);
    assert.match((await sessionOf(id)).reason, /code/);
    assert.equal((await respond(id, await installation.phones.passkey(ada, options))).status, 409);
    assert.equal((await installation.api.post(`/devices/${id}/passkey/confirm`)).status, 200);
    await untilOpen(installation, id);
    const told = (await eventsOf(installation, id)).filter(({ data }) => (data as { passkey?: boolean }).passkey);
    assert.equal(told.length, 2, 'asked for, and a code to compare');
  });

  it('is taken from a browser with a one-time token, from any page, once, and the token is good for nothing else', async () => {
    const id = await gated();
    const other = (await installation.api.post('/devices', {})).body.device.id as number;
    const { options, token, responseUrl } = await passkeyOf(id);
    assert.match(token, /^hsp_[\w-]{56}$/);
    const browser = tokenApi(token);
    const credential = await installation.phones.passkey(ada, options);
    for (const [method, path, body] of [
      ['GET', '/devices'],
      ['GET', `/devices/${id}`],
      ['GET', `/devices/${id}/passkey`],
      ['POST', `/devices/${id}/passkey/confirm`],
      ['POST', `/devices/${id}/messages/text`, { toNumber: ada, message: 'x' }],
      ['POST', `/devices/${other}/passkey/response`, credential],
      ['POST', `/devices/999/passkey/response`, credential],
      ['DELETE', `/devices/${id}`],
    ] as const) {
      assert.equal((await browser.call(method, path, body)).status, 401, `${method} ${path}`);
    }
    const changed = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    assert.equal((await tokenApi(changed).post(`/devices/${id}/passkey/response`, credential)).status, 401);
    const origin = 'chrome-extension://abcdefghijklmnop';
    const preflight = await fetch(responseUrl, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/);
    const malformed = await browser.post(`/devices/${id}/passkey/response`, { id: 'x' });
    assert.equal(malformed.status, 400);
    const taken = await browser.post(`/devices/${id}/passkey/response`, credential, { headers: { origin } });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    assert.equal(taken.headers.get('access-control-allow-origin'), '*');
    assert.equal((await browser.post(`/devices/${id}/passkey/response`, credential)).status, 401, 'used');
    await untilOpen(installation, id);
  });

  it('token: has an end', async () => {
    const id = await gated();
    const { options, token } = await passkeyOf(id);
    const credential = await installation.phones.passkey(ada, options);
    clock.ahead(300_001);
    assert.equal((await tokenApi(token).post(`/devices/${id}/passkey/response`, credential)).status, 401);
    assert.notEqual((await passkeyOf(id)).token, token);
  });

  it('that is wrong is a 400 with the words of the network, and the right one links after it', async () => {
    const id = await gated();
    const first = await passkeyOf(id);
    const stranger = await installation.phones.passkey('4915550002222', first.options);
    const refused = await respond(id, stranger);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.status.message, 'credential: the network refused it: credential-unknown (401)');
    const second = await passkeyOf(id);
    assert.equal(second.refusal, 'credential-unknown (401)');
    assert.notEqual(second.options.challenge, first.options.challenge);
    const stale = await respond(id, await installation.phones.passkey(ada, first.options));
    assert.equal(stale.status, 400);
    assert.match(stale.body.status.message, /another challenge/);
    assert.equal((await respond(id, await installation.phones.passkey(ada, second.options))).status, 200);
    await untilOpen(installation, id);
  });

  it('that is no credential is a 400 that names the member', async () => {
    const id = await gated();
    for (const [body, message] of [
      [{}, /id is required/],
      [{ id: 'a', rawId: 'a', type: 'password', response: {} }, /type must be public-key/],
      [{ id: 'a', rawId: 'a', type: 'public-key', response: {} }, /response must have clientDataJSON/],
      [{ id: 'a', rawId: 'a', type: 'public-key', response: {}, extra: 1 }, /Unknown field "extra"/],
    ] as const) {
      const answer = await respond(id, body);
      assert.equal(answer.status, 400);
      assert.match(answer.body.status.message, message);
    }
  });

  it('that nobody gives in time ends in timeout, with a reason', async () => {
    await installation.phones.faults({ passkeyTimeoutMs: 300 });
    const { device } = (await installation.api.post('/devices', {})).body;
    await assert.rejects(installation.phones.scan(ada, device.qr), /passkey/);
    await untilStatus(installation, device.id, 'timeout');
    assert.match((await sessionOf(device.id)).reason, /Nobody confirmed the passkey in time: restart/);
    await untilEvent(installation, device.id, 'connection.timeout');
  });

  for (const [name, interrupt] of [
    ['the network drops the connection', () => installation.phones.request('POST', '/drop', {})],
    ['the service is restarted', () => installation.restart()],
  ] as const) {
    it(`${name} in the middle: a fresh QR with the reason, and the ceremony links from there`, async () => {
      const id = await gated();
      await interrupt();
      const { qr } = await eventually('a fresh QR', async () => {
        const { device } = (await installation.api.get(`/devices/${id}`)).body;
        return device.qr !== null && device;
      });
      assert.match((await sessionOf(id)).reason, /scan the new QR code/);
      await assert.rejects(installation.phones.scan(ada, qr), /passkey/);
      await eventually('the gate', async () => (await sessionOf(id)).state === 'passkey_required');
      const { options } = await passkeyOf(id);
      assert.equal((await respond(id, await installation.phones.passkey(ada, options))).status, 200);
      await untilOpen(installation, id);
    });
  }

  it('is no business of a device that needs none, nor of another user', async () => {
    const { device } = (await installation.api.post('/devices', {})).body;
    const path = `/devices/${device.id}/passkey`;
    assert.equal((await installation.api.get(path)).status, 404);
    assert.equal((await installation.api.post(`${path}/confirm`)).status, 404);
    const credential = await installation.phones.passkey(ada, { challenge: 'AAAA', rpId: 'whatsapp.com' });
    assert.equal((await respond(device.id, credential)).status, 404);
  });
});
