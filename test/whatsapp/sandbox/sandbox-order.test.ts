/** The order of a chat in the log, when old messages and new ones come together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const ann = '4915300000001';
const bob = '4915300000002';
const cleo = '4915300000003';

test('driver: what waited at the network comes before what is written meanwhile', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  await rig.phones.add(cleo, 'Cleo');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await watched.session.close();
  const written: Record<string, string[]> = { [bob]: [], [cleo]: [] };
  const write = async (number: string, count: number): Promise<void> => {
    written[number]!.push(...(await rig.phones.write(number, { to: ann, text: 'away {n}', count })));
  };
  await Promise.all([write(bob, 150), write(cleo, 150)]);
  const session = rig.connect(deviceId);
  for (let n = 0; n < 60; n += 1) await Promise.all([write(bob, 1), write(cleo, 1)]);
  await session.opened();
  const received = await eventually('all messages', async () => {
    const events = await rig.events(deviceId);
    const found = events.flatMap(({ event }) => (event.type === 'message.received' ? [event.data.message] : []));
    return found.length >= 420 ? found : null;
  });
  for (const number of [bob, cleo]) {
    const ids = received.filter(({ fromNumber }) => fromNumber === number).map(({ id }) => id);
    assert.deepEqual(ids, written[number]);
  }
});
