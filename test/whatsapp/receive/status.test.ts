/** Status posts of contacts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';

const ann = '4915200000031';
const bob = '4915200000032';

const pendingOf = async (rig: Rig): Promise<number> => {
  const pending: unknown = (await rig.phones.stats())['pending'];
  assert.ok(typeof pending === 'object' && pending !== null);
  return Object.values(pending).reduce<number>((sum, count) => sum + Number(count), 0);
};

for (const statusAs of ['status', 'message'] as const) {
  test(`driver: a status that comes as <${statusAs}> is acknowledged and told to nobody`, async () => {
    await using rig = await startRig();
    await rig.phones.add(bob, 'Bob');
    const { deviceId, watched } = await rig.linked(ann, 'Ann');
    await rig.phones.faults({ statusAs });
    for (const text of ['on the beach', 'still on the beach']) {
      await rig.phones.request('POST', `/phones/${bob}/status`, { text });
    }
    await rig.phones.write(bob, { to: ann, text: 'to you' });
    await rig.event(deviceId, 'message.received');
    await eventually('everything to be acknowledged', async () => (await pendingOf(rig)) === 0);
    const received = (await rig.events(deviceId)).filter(({ event }) => event.type === 'message.received');
    assert.deepEqual(
      received.map(({ event }) => event.type === 'message.received' && event.data.message.text),
      ['to you'],
    );
    assert.equal(watched.reason(), null);
    assert.equal((await rig.phones.stats())['retriesAnswered'], 0);
  });
}
