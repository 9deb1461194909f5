/** Every account can be linked: refreshed QRs, codes that hold, and pairings that break off. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { EventEnvelope } from '../../../src/domain/event.ts';
import { quickClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, untilEvent, untilOpen, untilStatus } from '../steps.ts';

interface Auth {
  readonly qr: string | null;
  readonly qrText: string;
  readonly pairingCode: string | null;
  readonly passkey: boolean;
}

const authOf = ({ data }: EventEnvelope): Auth => data as Auth;

describe('linking', () => {
  // The backoffs between two attempts pass in a fifth of their time.
  const clock = quickClock(5);
  let installation: Installation;
  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
  });
  after(() => installation[Symbol.asyncDispose]());
  afterEach(async () => {
    await installation.phones.faults({});
    await installation.phones.behave(ada, { linking: 'plain' });
  });

  const create = async (body: object = {}) => (await installation.api.post('/devices', body)).body;
  const deviceOf = async (id: number) => (await installation.api.get(`/devices/${id}`)).body.device;
  const sessionOf = async (id: number) => (await installation.api.get(`/devices/${id}/session`)).body.session;
  const remove = (id: number) => installation.api.delete(`/devices/${id}`);
  const lastAuth = async (id: number): Promise<Auth> =>
    authOf((await eventsOf(installation, id)).findLast(({ type }) => type === 'connection.auth')!);
  /** The QR that is shown once the earlier one is not any more. */
  const untilFreshQr = (id: number, former: string): Promise<string> =>
    eventually('a fresh QR', async () => {
      const { qr, status } = await deviceOf(id);
      return status === 'qr' && qr !== null && qr !== former && (qr as string);
    });
  const untilReason = (id: number, reason: RegExp): Promise<unknown> =>
    eventually(`the reason ${reason}`, async () => reason.test((await sessionOf(id)).reason ?? ''));

  describe('a QR that the network wants anew', () => {
    for (const form of ['companion_reg_refresh', 'pair-device-rotate-qr']) {
      it(`${form}: the device, its events and its picture show the new one, and only that links`, async () => {
        await installation.phones.faults({ rotateQr: form });
        const { device } = await create();
        const shown = await installation.api.get(`/devices/${device.id}/qr?format=svg`);
        await assert.rejects(installation.phones.scan(ada, device.qr), /new QR/);
        const fresh = await untilFreshQr(device.id, device.qr);
        const event = await untilEvent(installation, device.id, 'connection.auth', ({ qr }: Auth) => qr === fresh);
        assert.notEqual((await installation.api.get(`/devices/${device.id}/qr?format=svg`)).body, shown.body);
        const [first] = (await eventsOf(installation, device.id)).map(authOf);
        const refOf = (text: string): string => text.split('#')[1]!.split(',')[0]!;
        assert.equal(refOf(authOf(event).qrText), refOf(first!.qrText), 'the current ref, shown anew');
        await assert.rejects(installation.phones.scan(ada, device.qr), /replaced/);
        await installation.phones.scan(ada, fresh);
        await untilOpen(installation, device.id);
        await remove(device.id);
      });
    }

    it('phones can be told apart: one account gets a new QR, another links at once', async () => {
      await installation.phones.behave(ada, { linking: 'refresh' });
      const { device } = await create();
      await assert.rejects(installation.phones.scan(ada, device.qr), /new QR/);
      await installation.phones.scan(bob, await untilFreshQr(device.id, device.qr));
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('QRs that nobody scans end in timeout, with a reason', async () => {
      await installation.phones.faults({ expireQrAfterMs: 40 });
      const { device } = await create();
      await untilStatus(installation, device.id, 'timeout');
      await untilEvent(installation, device.id, 'connection.timeout');
      const { state, reason } = await sessionOf(device.id);
      assert.equal(state, 'closed');
      assert.match(reason, /not scanned in time: restart/);
      await remove(device.id);
    });
  });

  describe('a pairing code', () => {
    it('asked for again within a minute is the same, still links, and tells when it ends', async () => {
      const { device, pairingCode } = await create({ phoneNumber: ada });
      const again = await installation.api.post(`/devices/${device.id}/restart`, { phoneNumber: ada });
      assert.equal(again.body.pairingCode, pairingCode);
      const session = await sessionOf(device.id);
      assert.equal(session.pairingCode, pairingCode);
      const lifeMs = Date.parse(session.pairingCodeExpiresAt) - clock.now();
      assert.ok(lifeMs > 100_000 && lifeMs <= 180_000, `${lifeMs} ms`);
      await installation.phones.enterCode(ada, pairingCode);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('for another number, or for none, is another pairing', async () => {
      const { device, pairingCode } = await create({ phoneNumber: ada });
      const other = await installation.api.post(`/devices/${device.id}/restart`, { phoneNumber: bob });
      assert.match(other.body.pairingCode, /^[1-9A-Z]{8}$/);
      assert.notEqual(other.body.pairingCode, pairingCode);
      const none = await installation.api.post(`/devices/${device.id}/restart`, {});
      assert.equal('pairingCode' in none.body, false);
      assert.equal((await sessionOf(device.id)).pairingCode, null);
      await remove(device.id);
    });

    it('that the network refuses is a 500 with its words, on create and on restart, and no device too many', async () => {
      await installation.phones.faults({ refuseCode: { at: 'hello', code: 429 } });
      const created = await installation.api.post('/devices', { phoneNumber: ada });
      assert.equal(created.status, 500);
      assert.match(created.body.status.message, /refused the pairing code: rate-overlimit \(429\)$/);
      assert.deepEqual((await installation.api.get('/devices')).body.devices, []);
      await installation.phones.faults({});
      const { device } = await create();
      await installation.phones.faults({ refuseCode: { at: 'hello', code: 400 }, latencyMs: 50 });
      const restarted = await installation.api.post(`/devices/${device.id}/restart`, { phoneNumber: ada });
      assert.equal(restarted.status, 500);
      assert.equal(
        restarted.body.status.message,
        `Failed to restart device ${device.id}: the network refused the pairing code: bad-request (400)`,
      );
      const session = await sessionOf(device.id);
      assert.equal(session.pairingCode, null);
      assert.match(session.reason, /refused the pairing code \(bad-request \(400\)\): scan the QR code/);
      await installation.phones.faults({});
      await installation.phones.scan(ada, (await deviceOf(device.id)).qr);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('for a number that is not on the network is a 400 in words', async () => {
      const created = await installation.api.post('/devices', { phoneNumber: '4915550009999' });
      assert.equal(created.status, 400);
      assert.match(created.body.status.message, /^This number isn't on WhatsApp/);
      const { device } = await create();
      const restarted = await installation.api.post(`/devices/${device.id}/restart`, { phoneNumber: '4915550009999' });
      assert.equal(restarted.status, 400);
      assert.match(restarted.body.status.message, /^This number isn't on WhatsApp/);
      await remove(device.id);
    });

    it('that fails once it was entered is taken back, and a new one links', async () => {
      await installation.phones.faults({ refuseCode: { at: 'finish', code: 400 } });
      const { device, pairingCode } = await create({ phoneNumber: ada });
      await assert.rejects(installation.phones.enterCode(ada, pairingCode), /refused/);
      await untilReason(device.id, /refused the pairing code/);
      assert.equal((await sessionOf(device.id)).pairingCode, null);
      assert.equal((await lastAuth(device.id)).pairingCode, null);
      await installation.phones.faults({});
      // Within the minute, but the former code is dead.
      const { body } = await installation.api.post(`/devices/${device.id}/restart`, { phoneNumber: ada });
      assert.notEqual(body.pairingCode, pairingCode);
      await installation.phones.enterCode(ada, body.pairingCode);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });
  });

  describe('a pairing that breaks off', () => {
    for (const [name, fault] of [
      ['the network drops the connection after the scan', { breakPairing: 'scan' }],
      ['515 after the scan, before the link is confirmed', { breakPairing: 'restart' }],
    ] as const) {
      it(`${name}: a fresh QR with the reason, and it links`, async () => {
        await installation.phones.faults(fault);
        const { device } = await create();
        await assert.rejects(installation.phones.scan(ada, device.qr), /ended/);
        const fresh = await untilFreshQr(device.id, device.qr);
        assert.match(
          (await sessionOf(device.id)).reason,
          /last attempt to link the device failed \(.+\): scan the new QR/,
        );
        await installation.phones.scan(ada, fresh);
        await untilOpen(installation, device.id);
        await remove(device.id);
      });
    }

    it('the network goes away without a word after the link: it comes back linked', async () => {
      await installation.phones.faults({ breakPairing: 'linked' });
      const { device } = await create();
      await installation.phones.scan(ada, device.qr);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('401 right after the 515 is no logout: it comes back linked', async () => {
      await installation.phones.faults({ refuseLogins: 2 });
      const { device } = await create();
      await installation.phones.scan(ada, device.qr);
      await untilOpen(installation, device.id);
      const types = (await eventsOf(installation, device.id)).map(({ type }) => type);
      assert.ok(!types.includes('connection.logout'), types.join());
      await remove(device.id);
    });

    it('the network never got our signature and refuses the login for good: a fresh QR with the reason', async () => {
      await installation.phones.faults({ breakPairing: 'sign' });
      const { device } = await create();
      await assert.rejects(installation.phones.scan(ada, device.qr), /ended/);
      const fresh = await eventually(
        'a fresh QR',
        async () => {
          const { qr, status } = await deviceOf(device.id);
          return status === 'qr' && qr !== device.qr && qr;
        },
        30_000,
      );
      assert.match(
        (await sessionOf(device.id)).reason,
        /confirmed the link and then refused it \(401\): scan the new QR/,
      );
      assert.deepEqual((await installation.phones.get(ada)).linkedDevices, []);
      await installation.phones.scan(ada, fresh);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('the connection is cut while a QR and a code wait: both are there again, with the reason', async () => {
      const { device, pairingCode } = await create({ phoneNumber: ada });
      await installation.phones.request('POST', '/drop', {});
      await untilFreshQr(device.id, device.qr);
      const session = await sessionOf(device.id);
      assert.match(session.reason, /scan the new QR code/);
      assert.equal(session.pairingCode, pairingCode, 'whoever types it need not begin anew');
      await installation.phones.enterCode(ada, pairingCode);
      await untilOpen(installation, device.id);
      await remove(device.id);
    });

    it('the service is restarted: a fresh QR with the reason, and no connection.timeout in between', async () => {
      const { device } = await create();
      await installation.restart();
      const fresh = await untilFreshQr(device.id, device.qr);
      assert.match((await sessionOf(device.id)).reason, /service was restarted .*: scan the new QR code/);
      await installation.phones.scan(ada, fresh);
      await untilOpen(installation, device.id);
      const types = (await eventsOf(installation, device.id)).map(({ type }) => type);
      assert.deepEqual(types, ['connection.auth', 'connection.auth', 'connection.open']);
      await remove(device.id);
    });
  });
});
