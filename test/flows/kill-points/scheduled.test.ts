/** Messages at a time, whose service is killed at each step of their sending: each comes once, after the restart. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import type { Trap } from '../../support/traps/traps.ts';
import { eventually } from '../../support/wait.ts';
import { bob, eventsOf, linkDevice, untilOpen, untilShown } from '../steps.ts';

const steps: readonly (readonly [string, Omit<Trap, 'deviceId'>])[] = [
  ['before anything of it is written', { when: 'before', call: 'commit', holding: 'a pending message' }],
  ['before the frame', { when: 'after', call: 'commit', holding: 'an encryption' }],
  ['after the ack, before the commit', { when: 'before', call: 'commit', holding: 'message.sent' }],
  ['after the commit, before it is forgotten', { when: 'after', call: 'commit', holding: 'message.sent' }],
];
const cases = steps.map(([name, trap], index) => ({ name, trap, number: String(4_915_552_000_000 + index) }));
/** The service is down when their times come. */
const missed = { name: 'while the service is down', number: '4915552000099' };

describe('messages at a time that are killed', () => {
  let mortal: Mortal;
  const ids = new Map<string, { readonly device: number; readonly messageId: string }>();

  const schedule = async (name: string, device: number, ms: number): Promise<void> => {
    const body = { toNumber: bob, message: name, sendAt: new Date(Date.now() + ms).toISOString() };
    const answer = await mortal.api.post(`/devices/${device}/messages/text`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    ids.set(name, { device, messageId: answer.body.messageId });
  };

  before(async () => {
    mortal = await startMortal();
    await mortal.phones.add(bob, 'Bob');
    const devices = new Map<string, number>();
    for (const { name, number } of [...cases, missed]) {
      await mortal.phones.add(number, name);
      const device = await linkDevice(mortal, number);
      await mortal.api.post(`/devices/${device}/messages/text`, { toNumber: bob, message: 'hello' });
      devices.set(name, device);
    }
    for (const { name, trap } of cases) await mortal.trap({ ...trap, deviceId: devices.get(name)! });
    for (const { name } of cases) await schedule(name, devices.get(name)!, 500);
    await mortal.held(cases.length);
    await schedule(missed.name, devices.get(missed.name)!, 300);
    await mortal.kill();
    await mortal.restart();
    for (const { device } of ids.values()) await untilOpen(mortal, device);
  });
  after(() => mortal[Symbol.asyncDispose]());

  for (const { name } of [...cases, missed]) {
    it(`${name}: it comes once, under the id of its answer`, async () => {
      const { device, messageId } = ids.get(name)!;
      await untilShown(mortal, bob, name);
      const list = async () => (await mortal.api.get(`/devices/${device}/messages/scheduled`)).body.scheduled;
      await eventually('nothing waits', async () => (await list()).length === 0);
      const last = { toNumber: bob, message: `after ${name}` };
      assert.equal((await mortal.api.post(`/devices/${device}/messages/text`, last)).status, 200);
      await untilShown(mortal, bob, last.message);
      const shown = (await mortal.phones.messages(bob)).filter(({ text }) => text === name);
      assert.deepEqual(
        shown.map(({ id }) => id),
        [messageId],
      );
      const told = (await eventsOf(mortal, device)).filter(
        ({ type, data }) => type === 'message.sent' && (data as { message: { id: string } }).message.id === messageId,
      );
      assert.equal(told.length, 1);
    });
  }
});
