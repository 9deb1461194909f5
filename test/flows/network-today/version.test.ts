/** The network of 2026, the client's version, through the whole service: read at start, renewed when the network refuses it, and told to whoever looks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { usualRevisions } from '../../../sandbox/src/server/state/faults.ts';
import { bundledRevision } from '../../../src/whatsapp/login/client-version/bundled.ts';
import { quickClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilOpen } from '../steps.ts';

const { current } = usualRevisions;
const bundled = bundledRevision.revision;

const versionOf = async (installation: Installation) => {
  const ready = await fetch(`${installation.handset.url}/health/ready`);
  const { details } = (await ready.json()) as { details: { clientVersion: Record<string, string | number | null> } };
  return details.clientVersion;
};

const untilSource = (installation: Installation, source: string) =>
  eventually(`a ${source} client version`, async () => {
    const version = await versionOf(installation);
    return version['source'] === source && version;
  });

const metric = async (installation: Installation, name: string): Promise<number> => {
  const text = await (await fetch(`${installation.handset.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
};

const sessionOf = async (installation: Installation, id: number) =>
  (await installation.api.get(`/devices/${id}/session`)).body.session;

const untilReason = (installation: Installation, id: number, reason: RegExp): Promise<string> =>
  eventually(`the reason ${reason}`, async () => {
    const { reason: words } = await sessionOf(installation, id);
    return reason.test(words ?? '') && (words as string);
  });

describe('the client version', () => {
  const clock = quickClock(5);
  let installation: Installation;
  /** The version that the network asks for in the next test: each makes it newer than the service's. */
  let next = current;
  before(async () => {
    installation = await startInstallation({ HANDSET_BOOTSTRAP_DEVICE_LIMIT: '50' }, undefined, clock);
    await addPhones(installation);
    await untilSource(installation, 'fetched');
  });
  after(() => installation[Symbol.asyncDispose]());
  beforeEach(() => {
    next += 1;
    // What the page told after an earlier refusal does not hold any more.
    clock.ahead(60_000);
  });
  const wants = (revision: number) =>
    installation.phones.faults({ clientRevision: { current: revision, linkable: revision, accepted: revision } });
  const drop = () => installation.phones.request('POST', '/drop', {});

  it('is read at start from the page, and told in health, /me and metrics', async () => {
    const version = await versionOf(installation);
    const { checkedAt, ...rest } = version;
    const nothing = { expiresAt: null, problem: null, warning: null };
    const told = { version: `2.3000.${current}`, source: 'fetched', ageDays: 0, ...nothing };
    assert.deepEqual(rest, told);
    assert.ok(Date.parse(String(checkedAt)) > 0);
    assert.deepEqual((await installation.api.get('/me')).body.service.client, version);
    assert.equal(await metric(installation, 'handset_client_revision{source="fetched"}'), current);
    assert.equal(await metric(installation, 'handset_client_revision_age_days'), 0);
    assert.equal(await metric(installation, 'handset_client_revision_checks_total{outcome="newer"}'), 1);
    assert.equal(await metric(installation, 'handset_client_refusals_total'), 0);
  });

  it('is what connections say: the network links nothing older', async () => {
    await installation.phones.faults({ clientRevision: { linkable: current, accepted: current } });
    const id = await linkDevice(installation);
    await installation.api.delete(`/devices/${id}`);
  });

  it('that the network refuses to linked devices is looked up once for all of them, and they are back at once', async () => {
    const ids = [];
    for (const number of [ada, bob, ada, bob]) ids.push(await linkDevice(installation, number));
    const looks = await metric(installation, 'handset_client_revision_checks_total{outcome="newer"}');
    await wants(next);
    await drop();
    // A slow pace would take minutes.
    for (const id of ids) {
      await eventually(`device ${id} is back`, async () => (await sessionOf(installation, id)).reconnects === 1);
      await untilOpen(installation, id);
    }
    assert.equal(await metric(installation, 'handset_client_revision_checks_total{outcome="newer"}'), looks + 1);
    assert.ok((await metric(installation, 'handset_client_refusals_total')) >= 1);
    assert.equal((await versionOf(installation))['version'], `2.3000.${next}`);
    for (const id of ids) await installation.api.delete(`/devices/${id}`);
  });

  it('that the network refuses to a new device is renewed within the create', async () => {
    await wants(next);
    const id = await linkDevice(installation);
    assert.equal((await versionOf(installation))['version'], `2.3000.${next}`);
    await installation.api.delete(`/devices/${id}`);
  });

  it('that the network refuses within a create with a pairing code is renewed, too', async () => {
    await wants(next);
    const { body } = await installation.api.post('/devices', { phoneNumber: ada });
    await installation.phones.enterCode(ada, body.pairingCode);
    await untilOpen(installation, body.device.id);
    await installation.api.delete(`/devices/${body.device.id}`);
  });

  it('that the network refuses within a restart is renewed, too', async () => {
    const { device } = (await installation.api.post('/devices', {})).body;
    await wants(next);
    assert.equal((await installation.api.post(`/devices/${device.id}/restart`, {})).status, 200);
    const { qr } = (await installation.api.get(`/devices/${device.id}`)).body.device;
    await installation.phones.scan(ada, qr);
    await untilOpen(installation, device.id);
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('that the network refuses in the middle of a pairing is renewed, and the pairing goes on with a new QR', async () => {
    const { device } = (await installation.api.post('/devices', {})).body;
    await wants(next);
    await drop();
    const fresh = await eventually('a fresh QR', async () => {
      const { qr } = (await installation.api.get(`/devices/${device.id}`)).body.device;
      return qr !== null && qr !== device.qr && (qr as string);
    });
    assert.equal((await versionOf(installation))['version'], `2.3000.${next}`);
    await installation.phones.scan(ada, fresh);
    await untilOpen(installation, device.id);
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('that the network refuses as a user agent (409) is looked up in the same way', async () => {
    const id = await linkDevice(installation);
    const refusals = await metric(installation, 'handset_client_refusals_total');
    await installation.phones.faults({ connectFailure: 409, clientRevision: { current: next } });
    await drop();
    // At once with the newer one, which is refused as well: then slowly, and without another look at the page.
    await untilReason(
      installation,
      id,
      /refuses client version 2\.3000\.\d+ \(fetched, 0 days old\), and no newer one is known/,
    );
    assert.equal((await versionOf(installation))['version'], `2.3000.${next}`);
    assert.equal(await metric(installation, 'handset_client_refusals_total'), refusals + 2);
    await installation.phones.faults({});
    assert.equal((await installation.api.post(`/devices/${id}/restart`, {})).status, 200);
    await untilOpen(installation, id);
    await installation.api.delete(`/devices/${id}`);
  });

  it('that stays refused: linked devices come back slowly and say why, and a create fails in words', async () => {
    const id = await linkDevice(installation);
    await installation.phones.faults({ clientRevision: { current: next, linkable: next, accepted: next + 1_000 } });
    await drop();
    const words = await untilReason(installation, id, /refuses client version/);
    assert.match(
      words,
      /^The device is reconnecting by itself \(the network refuses client version 2\.3000\.\d+ \(fetched, \d+ days? old\), and no newer one is known: update Handset/,
    );
    const refused = await installation.api.post('/devices', {});
    assert.equal(refused.status, 500);
    assert.match(refused.body.status.message, /could not be paired: the network refuses client version 2\.3000\.\d+/);
    const { warning } = await versionOf(installation);
    assert.match(String(warning), /the network refuses client version/);
    assert.equal((await fetch(`${installation.handset.url}/health/ready`)).status, 200, 'the service itself is fine');
    next += 1_000;
    await wants(next);
    clock.ahead(60_000);
    // Minutes of waiting are over for whoever restarts it.
    assert.equal((await installation.api.post(`/devices/${id}/restart`, {})).status, 200);
    await untilOpen(installation, id);
    assert.equal((await versionOf(installation))['warning'], null);
    await installation.api.delete(`/devices/${id}`);
  });

  it('survives a restart as the last good one, whatever older one the page tells', async () => {
    const running = await versionOf(installation);
    const accepted = Number(String(running['version']).slice('2.3000.'.length));
    await installation.phones.faults({ clientRevision: { current: bundled, accepted } });
    await installation.restart();
    const version = await eventually('a look at the page', async () => {
      const seen = await versionOf(installation);
      return seen['checkedAt'] !== null && seen;
    });
    assert.deepEqual([version['source'], version['version']], ['stored', running['version']]);
    assert.match(String(version['problem']), /^the page tells an older client version, 2\.3000\.\d+$/);
    const id = await linkDevice(installation);
    await installation.api.delete(`/devices/${id}`);
  });
});

describe('a pinned client version', () => {
  it('is never looked up; below what can be linked the phone says so, and the device when its time is up', async () => {
    await using installation = await startInstallation({ HANDSET_CLIENT_VERSION: `2.3000.${bundled - 1}` });
    await addPhones(installation);
    assert.equal((await versionOf(installation))['source'], 'pinned');
    await installation.phones.faults({ clientRevision: { linkable: bundled } });
    const { device } = (await installation.api.post('/devices', {})).body;
    await assert.rejects(installation.phones.scan(ada, device.qr), /Couldn't link device/);
    // The refs of this connection live for long; those of the next one do not.
    await installation.phones.faults({ clientRevision: { linkable: bundled }, expireQrAfterMs: 50 });
    await installation.phones.request('POST', '/drop', {});
    await eventually('the end of the pairing', async () => {
      const { state } = await sessionOf(installation, device.id);
      return state === 'closed';
    });
    assert.equal((await installation.api.get(`/devices/${device.id}`)).body.device.status, 'timeout');
    const { reason } = await sessionOf(installation, device.id);
    assert.match(
      reason,
      /^The QR code was not scanned in time: restart the device .*"Couldn't link device".*docs\/linking\.md/,
    );
    await installation.phones.faults({ clientRevision: { accepted: bundled } });
    const refused = await installation.api.post('/devices', {});
    assert.match(refused.body.status.message, /\(pinned, \d+ days old\), and it is pinned: set HANDSET_CLIENT_VERSION/);
    assert.equal((await versionOf(installation))['checkedAt'], null);
  });
});

describe('a version page that is out of reach', () => {
  /** The discovery document of the sandbox, with a page elsewhere. */
  const withPage = async (controlUrl: string, versionUrl: string) => {
    const server = createServer((_request, response) => {
      void fetch(controlUrl)
        .then((answer) => answer.json())
        .then((address: unknown) => response.end(JSON.stringify({ ...(address as object), versionUrl })));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}/sandbox`, close: () => server.close() };
  };

  it('changes nothing: devices are linked with the bundled version, and the service says what is wrong', async () => {
    const sandbox = await startSandbox();
    // Nothing listens on the discard port.
    const control = await withPage(sandbox.controlUrl, 'http://127.0.0.1:9/sw.js');
    const phones = phonesOf(sandbox.controlUrl);
    try {
      await using installation = await startInstallation({ HANDSET_NETWORK: control.url });
      const place = { api: installation.api, phones };
      await addPhones(place);
      const version = await eventually('a look at the page', async () => {
        const seen = await versionOf(installation);
        return seen['checkedAt'] !== null && seen;
      });
      assert.deepEqual([version['source'], version['problem']], ['bundled', 'the connection was refused']);
      const id = await linkDevice(place);
      await phones.faults({ clientRevision: { accepted: bundled + 1 } });
      await phones.request('POST', '/drop', {});
      assert.match(
        await untilReason(installation, id, /refuses client version/),
        /no newer one could be found \(the connection was refused\): update Handset/,
      );
      const failed = 'handset_client_revision_checks_total{outcome="failed"}';
      assert.ok((await metric(installation, failed)) >= 2);
    } finally {
      control.close();
      await sandbox.close();
    }
  });
});
