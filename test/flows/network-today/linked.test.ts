/**
 * The network of 2026, staying linked: bans and refusals as the network tells them, what is kept, what is lost, and how a device
 * comes back. Refreshed QRs, passkeys and codes: `linking.test.ts` and `passkey.test.ts`; keep-alives: `connection.test.ts`.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

/** The system's clock, on which the test skips what nobody wants to wait for. */
const skippingClock = (): Clock & { skip(ms: number): void } => {
  let ahead = 0;
  const now = () => systemClock.now() + ahead;
  const long = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now,
    after(ms, run) {
      if (ms < 2_000) return systemClock.after(ms, run);
      const timer = { at: now() + ms, run };
      long.add(timer);
      return { cancel: () => void long.delete(timer) };
    },
    skip(ms) {
      ahead += ms;
      for (const timer of long) {
        if (timer.at > now() || !long.delete(timer)) continue;
        timer.run();
      }
    },
  };
};

const dayMs = 86_400_000;

describe('a linked device', () => {
  const clock = skippingClock();
  let installation: Installation;
  let id: number;
  const session = async () => (await installation.api.get(`/devices/${id}/session`)).body.session;
  const untilReason = (pattern: RegExp) =>
    eventually(`the reason ${pattern}`, async () => pattern.test((await session()).reason ?? ''));
  const linkedDevices = async () => (await installation.phones.get(ada)).linkedDevices.length;
  const closings = async () =>
    (await eventsOf(installation, id)).filter(({ type }) => /closed|logout/.test(type)).map(({ data }) => data);

  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('402: the link is kept, the end of the session says until when, and the device is back afterwards', async () => {
    const begun = clock.now();
    await installation.phones.faults({ temporaryBan: { code: 102, seconds: 86_400 } });
    const { data } = await untilEvent(installation, id, 'connection.closed');
    const { reason, willReconnect, until } = data as { reason: string; willReconnect: boolean; until: string };
    assert.deepEqual({ reason, willReconnect }, { reason: 'temporarily_banned', willReconnect: true });
    // The network tells seconds.
    const end = Date.parse(until);
    assert.ok(end > begun + dayMs - 2_000 && end < clock.now() + dayMs + 2_000, until);
    assert.match((await session()).reason, /banned the account until .*too many people have blocked it, code 102/);
    assert.equal(await linkedDevices(), 1);
    await installation.phones.faults({});
    const { handshakes } = await installation.phones.stats();
    clock.skip(dayMs / 2);
    assert.equal((await session()).state, 'reconnecting');
    assert.equal((await installation.phones.stats()).handshakes, handshakes, 'nobody has knocked before its end');
    clock.skip(dayMs / 2 + 60_000);
    await untilOpen(installation, id);
    await installation.phones.write(bob, { to: ada, text: 'welcome back' });
    await untilEvent(installation, id, 'message.received');
  });

  it('402: a restart of the service in the middle of a ban keeps the link, and says why there is no session', async () => {
    await installation.phones.faults({ temporaryBan: { code: 101, seconds: 86_400 } });
    await untilReason(/code 101/);
    await installation.restart();
    await untilReason(/banned the account until .*code 101/);
    const restarted = await installation.api.post(`/devices/${id}/restart`);
    assert.equal(restarted.status, 500);
    assert.match(restarted.body.status.message, /^Failed to restart device \d+: The network has banned the account/);
    assert.equal(
      (await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'no' })).status,
      404,
    );
    assert.equal(await linkedDevices(), 1);
    // A review has lifted it.
    await installation.phones.faults({});
    assert.equal((await installation.api.post(`/devices/${id}/restart`)).status, 200);
    await untilOpen(installation, id);
    await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'I am back' });
    await untilShown(installation, bob, 'I am back');
  });

  for (const code of [400, 411, 418, 429]) {
    it(`${code}: it is tried again after minutes, and is back then`, async () => {
      await installation.phones.faults({ connectFailure: code });
      await installation.phones.request('POST', '/drop', { number: ada });
      await untilReason(/connect less often|did not accept|wants the account|refused the connection/);
      await installation.phones.faults({});
      const { handshakes } = await installation.phones.stats();
      clock.skip(60_000);
      assert.equal((await session()).state, 'reconnecting');
      assert.equal((await installation.phones.stats()).handshakes, handshakes);
      clock.skip(300_000);
      await untilOpen(installation, id);
    });
  }

  for (const code of [500, 501, 503]) {
    it(`${code}: it is tried again within seconds`, async () => {
      const { reconnects } = await session();
      await installation.phones.faults({ connectFailure: code });
      await installation.phones.request('POST', '/drop', { number: ada });
      await untilReason(/internal error|unavailable for now/);
      await installation.phones.faults({});
      let skipped = 0;
      await eventually('it is open again', async () => {
        clock.skip(100);
        skipped += 100;
        const now = await session();
        return now.state === 'open' && now.reconnects > reconnects;
      });
      assert.ok(skipped < 40_000, `${skipped} ms`);
    });
  }

  it('inactive: the session says that the network removes it after 30 days', async () => {
    await installation.api.put(`/devices/${id}`, { subscription_status: 'inactive' });
    await untilReason(/does not connect for 30 days/);
    assert.equal(await linkedDevices(), 1);
    await installation.api.put(`/devices/${id}`, { subscription_status: 'active' });
    await untilOpen(installation, id);
  });

  it('unlinked for a reason of the network: the session has it', async () => {
    await installation.phones.faults({ says: { conflict: 'too many devices' } });
    const { linkedDevices: devices } = await installation.phones.get(ada);
    await installation.phones.request('DELETE', `/phones/${ada}/linked-devices/${devices[0]!.device}`);
    await untilReason(/removed this device.*\(the network says: too many devices\)$/);
    await installation.phones.faults({});
    await installation.api.post(`/devices/${id}/restart`);
    await installation.phones.scan(ada, (await installation.api.get(`/devices/${id}`)).body.device.qr);
    await untilOpen(installation, id);
  });

  for (const [code, pattern, told] of [
    [516, /removed this device from its linked devices, or the network has ended the link/, 'removed_by_phone'],
    [403, /locked or banned this account, or it is on another phone now/, 'banned'],
    [406, /banned this account.*review/, 'banned'],
  ] as const) {
    it(`${code}: the link is gone, in words, and a restart links the account again`, async () => {
      const { length } = await closings();
      if (code === 516) await installation.phones.request('POST', '/drop', { number: ada, streamError: code });
      else {
        const says = { header: 'Log in again', text: `We saw ${code}` };
        await installation.phones.faults({ connectFailure: code, says });
        await installation.phones.request('POST', '/drop', { number: ada });
        await untilReason(new RegExp(`\\(the network says: Log in again: We saw ${code}\\)$`));
      }
      await untilReason(pattern);
      const newest = await eventually('both events', async () => {
        const all = await closings();
        return all.length >= length + 2 && all.slice(length);
      });
      assert.deepEqual(newest, [{ reason: told, willReconnect: false }, { reason: told }]);
      await installation.phones.faults({});
      assert.equal((await installation.api.post(`/devices/${id}/restart`)).status, 200);
      const { device } = (await installation.api.get(`/devices/${id}`)).body;
      await installation.phones.scan(ada, device.qr);
      await untilOpen(installation, id);
    });
  }
});
