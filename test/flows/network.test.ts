/** The network's own initiative: QRs that expire, presence, and a queue that waits until it is told that all arrived. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Companion, type Place } from '../sandbox/companion.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, statusOf, untilEvent, untilOpen } from './steps.ts';

const cyd = '4915550003333';
const jidOf = (number: string): string => `${number}@s.whatsapp.net`;

describe('the network', () => {
  let installation: Installation;
  let place: Place;
  const faults = (body: object) => installation.phones.request('PUT', '/faults', body);
  const allWell = () => installation.phones.request('DELETE', '/faults');

  before(async () => {
    installation = await startInstallation();
    place = await installation.phones.request<Place>('GET', '');
    await addPhones(installation);
    await installation.phones.add(cyd, 'Cyd');
  });
  after(() => installation[Symbol.asyncDispose]());

  it('QR refs expire and are refreshed: an old QR does not link, the one that is shown does', async () => {
    await faults({ expireQrAfterMs: 800 });
    await using client = new Companion(place, { qrTimeout: 800 });
    client.connect();
    const first = await eventually('a QR', () => client.qr);
    await eventually('another QR', () => client.qr !== first);
    await assert.rejects(installation.phones.scan(cyd, first), /expired/);
    // That one is about to expire, too.
    await eventually('the one that is shown to link', () => installation.phones.scan(cyd, client.qr!).then(() => true));
    await eventually('an open connection', () => client.isOpen);
    await allWell();
    await client.socket.logout();
    await eventually(
      'the end of the link',
      async () => (await installation.phones.get(cyd)).linkedDevices.length === 0,
    );
  });

  it('QR refs that nobody scans: the pairing is over, and that is told; a restart begins anew', async () => {
    await faults({ expireQrAfterMs: 60 });
    const { device } = (await installation.api.post('/devices', {})).body;
    await untilEvent(installation, device.id, 'connection.timeout');
    assert.equal(await statusOf(installation, device.id), 'timeout');
    await assert.rejects(installation.phones.scan(cyd, device.qr), /expired|unknown/);
    await allWell();
    assert.equal((await installation.api.post(`/devices/${device.id}/restart`)).status, 200);
    const again = (await installation.api.get(`/devices/${device.id}`)).body.device;
    assert.equal(again.status, 'qr');
    await installation.phones.scan(cyd, again.qr);
    await untilOpen(installation, device.id);
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('presence and typing are shown to who asks', async () => {
    // A stock client learns its own name, without which it shows no presence, from the lenient network alone.
    await faults({ addressing: 'lenient' });
    await using one = new Companion(place);
    await using other = new Companion(place, { markOnlineOnConnect: false });
    await one.link((qr) => installation.phones.scan(ada, qr));
    await other.link((qr) => installation.phones.scan(bob, qr));
    const seen: (string | undefined)[] = [];
    one.socket.ev.on('presence.update', ({ presences }) => {
      for (const { lastKnownPresence } of Object.values(presences)) seen.push(lastKnownPresence);
    });
    await one.socket.presenceSubscribe(jidOf(bob));
    for (const presence of ['available', 'composing', 'unavailable'] as const) {
      await other.socket.sendPresenceUpdate(presence, jidOf(ada));
      await eventually(presence, () => seen.includes(presence));
    }
    await Promise.all([one.socket.logout(), other.socket.logout()]);
    await eventually('the end of both links', async () => {
      const phones = await Promise.all([ada, bob].map((number) => installation.phones.get(number)));
      return phones.every(({ linkedDevices }) => linkedDevices.length === 0);
    });
    await allWell();
  });

  it('offline queue: what was never acked comes again until it is, and makes one event each', async () => {
    const id = await linkDevice(installation);
    const earlier = Number((await installation.phones.stats()).redelivered);
    // Every 15th stanza of the device is lost, and cuts its connection: a login, and then some acks do not arrive.
    await faults({ dropEvery: 15 });
    await installation.phones.write(bob, { to: ada, text: 'again and again {n}', count: 20 });
    await eventually(
      'some are delivered again',
      async () => Number((await installation.phones.stats()).redelivered) > earlier,
    );
    await allWell();
    await untilEvent(
      installation,
      id,
      'message.received',
      (data: { message: { text: string } }) => data.message.text === 'again and again 20',
    );
    await eventually('nothing waits any more', async () => {
      const { pending } = await installation.phones.stats();
      return Object.keys(pending as object).length === 0;
    });
    const texts = (await eventsOf(installation, id))
      .filter(({ type }) => type === 'message.received')
      .map(({ data }) => (data as { message: { text: string } }).message.text);
    assert.deepEqual(
      texts,
      Array.from({ length: 20 }, (_, index) => `again and again ${index + 1}`),
    );
    assert.equal((await installation.phones.stats()).decryptFailures, 0);
  });
});
