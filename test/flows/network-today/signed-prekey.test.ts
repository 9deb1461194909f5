/** The network of 2026: a device's signed prekey is a new one after 27 days, and first messages under the former one are read. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { shiftedClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from '../steps.ts';

const dayMs = 86_400_000;

describe('a signed prekey', () => {
  const clock = shiftedClock();
  let installation: Installation;
  let stock: Companion;
  let id: number;
  const present = (): number =>
    [...installation.hub.findAccount(ada)!.devices.values()].find((device) => device.id !== 0)!.keys!.signedPreKey.id;
  const receives = async (jid: string, text: string): Promise<void> => {
    await stock.socket.sendMessage(jid, { text });
    await untilEvent(installation, id, 'message.received', (data) => JSON.stringify(data).includes(`"${text}"`));
  };

  before(async () => {
    installation = await startInstallation({}, undefined, clock, { addressing: 'lenient' });
    await addPhones(installation);
    id = await linkDevice(installation);
    stock = new Companion(await installation.phones.request<Place>('GET', '/'));
    await stock.link((qr) => installation.phones.scan(bob, qr));
  });
  after(async () => {
    await stock[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
  });

  it('is rotated at a login after 27 days; who has fetched the former one can still write, and who fetches the new one', async () => {
    const { jid, lid } = await installation.phones.get(ada);
    const first = present();
    // Fetched, and not used yet.
    const [device] = (await installation.phones.get(ada)).linkedDevices;
    await stock.socket.assertSessions([lid.replace('@', `:${device!.device}@`)], true);
    clock.ahead(26 * dayMs);
    await installation.restart();
    await untilOpen(installation, id);
    assert.equal((await installation.api.get(`/devices/${id}/profile`)).status, 200);
    assert.equal(present(), first);
    clock.ahead(dayMs + 60_000);
    await installation.restart();
    await eventually('the new one', () => present() === first + 1);
    await receives(jid, 'under the former one');
    await stock.forgetSessions();
    await receives(jid, 'under the new one');
    assert.equal((await installation.phones.stats())['retriesAsked'], 0);
  });
});
