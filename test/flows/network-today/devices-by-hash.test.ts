/** The network of 2026: a contact whose devices have changed is named by a hash, and the very next message reaches the new one. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { Phones, SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilShown } from '../steps.ts';

describe('a contact with a new companion, named by a hash', () => {
  let installation: Installation;
  let phones: Phones;
  let bobsPhone: SandboxPhone;
  let id: number;
  const send = async (to: string, message: string): Promise<void> => {
    const { status, body } = await installation.api.post(`/devices/${id}/messages/text`, { to, message });
    assert.equal(status, 200, JSON.stringify(body));
  };
  /** Everything that the network had for the device has been acknowledged. */
  const isHeard = (number = ada): Promise<boolean> =>
    eventually('an empty queue', () =>
      [...installation.hub.findAccount(number)!.devices.values()].every(({ queue }) => queue.size === 0),
    );

  beforeEach(async () => {
    installation = await startInstallation();
    phones = installation.phones;
    await phones.add(ada, 'Ada');
    bobsPhone = await phones.add(bob, 'Bob');
    id = await linkDevice(installation);
  });
  afterEach(() => installation[Symbol.asyncDispose]());

  for (const migrated of [true, false]) {
    it(`gets the next message there, and so does a group (${migrated ? 'migrated' : 'not migrated'})`, async () => {
      await phones.behave(bob, { migrated });
      const group = { subject: 'Friends', owner: bob, participants: [ada] };
      const { jid } = await phones.request<{ jid: string }>('POST', '/groups', group);
      await send(bobsPhone.jid, 'one');
      await send(jid, 'to all');
      await untilShown(installation, bob, 'to all');
      await phones.faults({ deviceNews: 'hash' });
      const bobsDevice = await linkDevice(installation, bob);
      await isHeard();
      await send(bobsPhone.jid, 'the next');
      await send(jid, 'the next to all');
      for (const text of ['the next', 'the next to all']) {
        await eventually(text, async () =>
          (await eventsOf(installation, bobsDevice)).some(({ data }) => JSON.stringify(data).includes(`"${text}"`)),
        );
      }
    });
  }

  it('is missed by a stock client, which acknowledges the notice and keeps its list', async () => {
    const cyd = '4915550003333';
    await phones.faults({ addressing: 'lenient', deviceNews: 'hash' });
    await phones.add(cyd, 'Cyd');
    const stock = new Companion(await phones.request<Place>('GET', '/'));
    await stock.link((qr) => phones.scan(cyd, qr));
    await stock.socket.sendMessage(bobsPhone.jid, { text: 'one' });
    await untilShown(installation, bob, 'one');
    const bobsDevice = await linkDevice(installation, bob);
    await isHeard(cyd);
    await stock.socket.sendMessage(bobsPhone.jid, { text: 'the next' });
    await untilShown(installation, bob, 'the next');
    await send(bobsPhone.jid, 'a mark');
    await eventually('a mark', async () =>
      (await eventsOf(installation, bobsDevice)).some(({ data }) => JSON.stringify(data).includes('"a mark"')),
    );
    const texts = JSON.stringify(await eventsOf(installation, bobsDevice));
    assert.ok(!texts.includes('"the next"'));
    await stock[Symbol.asyncDispose]();
  });
});
