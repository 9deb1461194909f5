/** The network of 2026: a device whose keys the network refuses keeps a message from nobody else, and is asked for again if the refusal may pass. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { Phones, SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
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

describe('a device whose keys are refused with 503', () => {
  let installation: Installation;
  let bobsPhone: SandboxPhone;
  let id: number;
  let companion: number;
  let device: string;
  let questions: number;
  /** How many questions for keys are refused. */
  let refusals: number;
  const lines: string[] = [];
  const send = (to: string, message: string) => installation.api.post(`/devices/${id}/messages/text`, { to, message });
  const arrived = async (text: string): Promise<boolean> => {
    const { messages } = (await installation.api.get(`/devices/${companion}/messages`)).body;
    return messages.some((message: { text: string }) => message.text === text);
  };
  const refuse = async (as: 'device' | 'batch', times: number): Promise<void> => {
    [questions, refusals] = [0, times];
    await installation.phones.faults({ refuseKeys: { as, device, code: 503 } });
  };

  beforeEach(async () => {
    lines.length = 0;
    installation = await startInstallation({}, undefined, undefined, {
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      record(entry) {
        const isAnswer = entry.kind === 'stanza' && entry.from === 'network' && entry.node.tag === 'iq';
        if (!isAnswer || !/"503"/.test(JSON.stringify(entry.node))) return;
        questions += 1;
        if (questions === refusals) installation.hub.clearFaults();
      },
    });
    await installation.phones.add(ada, 'Ada');
    bobsPhone = await installation.phones.add(bob, 'Bob');
    id = await linkDevice(installation);
    companion = await linkDevice(installation, bob);
    const { lid, linkedDevices } = await installation.phones.get(bob);
    device = lid.replace('@', `:${linkedDevices[0]!.device}@`);
  });
  afterEach(() => installation[Symbol.asyncDispose]());

  for (const as of ['device', 'batch'] as const)
    it(`(${as}) is asked for once more, and gets the message`, async () => {
      await refuse(as, 1);
      assert.equal((await send(bobsPhone.jid, 'after a refusal')).status, 200);
      await untilShown(installation, bob, 'after a refusal');
      await eventually('it', () => arrived('after a refusal'));
      assert.equal(questions, 1);
      assert.deepEqual(
        lines.filter((line) => /no keys|without some devices/.test(line)),
        [],
      );
    });

  it('is left out when it is refused again, and the log says so without naming anybody', async () => {
    await refuse('device', Infinity);
    assert.equal((await send(bobsPhone.jid, 'left out')).status, 200);
    await untilShown(installation, bob, 'left out');
    assert.equal(questions, 2);
    const warned = lines.map((line): Record<string, unknown> => JSON.parse(line));
    const refused = warned.find(({ msg }) => msg === 'the network gives no keys of some devices');
    assert.deepEqual([refused?.['devices'], refused?.['codes']], [1, [503]]);
    const left = warned.find(({ msg }) => msg === 'messages leave without some devices');
    assert.deepEqual([left?.['deviceId'], left?.['devices']], [id, 1]);
    for (const secret of [ada, bob, device, 'left out'])
      assert.ok(warned.every((line) => !JSON.stringify({ ...line, msg: '' }).includes(secret)));
    await installation.phones.faults({});
    assert.equal((await send(bobsPhone.jid, 'the next one')).status, 200);
    await eventually('the next one', () => arrived('the next one'));
    assert.equal(await arrived('left out'), false);
  });

  it('fails the message when nobody can be reached', async () => {
    await refuse('batch', Infinity);
    const { status, body } = await send(bobsPhone.jid, 'to nobody');
    assert.equal(status, 500, JSON.stringify(body));
  });
});
