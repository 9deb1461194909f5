/** The network of 2026: a device whose keys the network refuses with 406 keeps a message from nobody else. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { Phones, SandboxPhone } from '../../support/phones.ts';
import { ada, bob, linkDevice, untilOpen, untilShown } from '../steps.ts';

const cyd = '4915550003333';
const dan = '4915550004444';

describe('a device whose keys are refused with 406', () => {
  let installation: Installation;
  let phones: Phones;
  let bobsPhone: SandboxPhone;
  let id: number;
  let group: string;
  const write = (to: string, message: string) => installation.api.post(`/devices/${id}/messages/text`, { to, message });
  const send = async (to: string, message: string): Promise<void> => {
    const { status, body } = await write(to, message);
    assert.equal(status, 200, JSON.stringify(body));
  };
  const companionOf = async (number: string): Promise<string> => {
    const { linkedDevices, lid } = await phones.get(number);
    return lid.replace('@', `:${linkedDevices[0]!.device}@`);
  };
  /** Bob's companion, which has no session with the device yet. */
  const refuse = async (as: 'device' | 'batch', device: string | null): Promise<void> => {
    await phones.faults({ refuseKeys: { as, device } });
  };

  beforeEach(async () => {
    installation = await startInstallation();
    phones = installation.phones;
    for (const [number, name] of [
      [ada, 'Ada'],
      [cyd, 'Cyd'],
      [dan, 'Dan'],
    ] as const)
      await phones.add(number, name);
    bobsPhone = await phones.add(bob, 'Bob');
    id = await linkDevice(installation);
    await linkDevice(installation, bob);
    const made = { subject: 'Friends', owner: bob, participants: [ada, cyd, dan] };
    group = (await phones.request<{ jid: string }>('POST', '/groups', made)).jid;
  });
  afterEach(() => installation[Symbol.asyncDispose]());

  for (const as of ['device', 'batch'] as const) {
    it(`(${as}) holds up no message to its group: who has a session reads it, also after a restart`, async () => {
      // A session with Cyd alone.
      const { jid } = await phones.get(cyd);
      await send(jid, 'to Cyd');
      const stale = await companionOf(bob);
      await refuse(as, stale);
      await send(group, 'one');
      await untilShown(installation, cyd, 'one');
      // Its phone asks for what it cannot read.
      await untilShown(installation, dan, 'one');
      await installation.restart();
      await untilOpen(installation, id);
      await send(group, 'two');
      await untilShown(installation, bob, 'two');
    });

    it(`(${as}) holds up no message to its person, while the network lists it and when it does no more`, async () => {
      const stale = await companionOf(bob);
      await refuse(as, stale);
      await send(bobsPhone.jid, 'listed');
      await untilShown(installation, bob, 'listed');
      // The notice of it is lost.
      installation.hub.findAccount(bob)!.devices.delete(Number(/:(\d+)@/.exec(stale)![1]));
      await send(bobsPhone.jid, 'gone');
      await untilShown(installation, bob, 'gone');
      await send(group, 'to all');
      for (const number of [bob, cyd, dan]) await untilShown(installation, number, 'to all');
    });

    it(`(${as}) that is everybody: a person is not reached, a group asks for the message itself`, async () => {
      await refuse(as, null);
      assert.equal((await write(bobsPhone.jid, 'to nobody')).status, 500);
      await send(group, 'to whom it reaches');
      for (const number of [bob, cyd, dan]) await untilShown(installation, number, 'to whom it reaches');
      await phones.faults({});
      await send(bobsPhone.jid, 'when it is over');
      await untilShown(installation, bob, 'when it is over');
      assert.ok((await phones.messages(bob)).every(({ text }) => text !== 'to nobody'));
    });
  }
});
