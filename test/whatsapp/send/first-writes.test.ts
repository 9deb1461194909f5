/** Both sides write their first message to each other at the same moment: each reads the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { startRig, type Watched } from '../driver.support.ts';

const numberOf = (n: number): string => String(491_520_000_000 + n);

test('a device and a phone that has never heard of it', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(numberOf(0), 'Olga');
  const count = 12;
  const people = Array.from({ length: count }, (_, n) => numberOf(n + 1));
  for (const number of people) await rig.phones.add(number, number);
  for (const [n, number] of people.entries()) {
    const theirs = rig.phones.write(number, { to: numberOf(0), text: `from ${number}` });
    // The moments differ from round to round.
    for (let turn = 0; turn < n * 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await rig.send(watched, number, { kind: 'text', text: `to ${number}` });
    const [id] = await theirs;
    await eventually('theirs', () => rig.stores.messages.find(deviceId, id!));
    await eventually('ours', async () =>
      (await rig.phones.messages(number)).some(({ text }) => text === `to ${number}`),
    );
  }
});

test('two devices that have never heard of each other', async () => {
  await using rig = await startRig();
  const devices: { readonly number: string; readonly deviceId: number; readonly watched: Watched }[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { deviceId, watched } = await rig.linked(numberOf(100 + n), `Olga ${n}`);
    devices.push({ number: numberOf(100 + n), deviceId, watched });
  }
  for (const [n, one] of devices.entries()) {
    for (const other of devices.slice(n + 1)) {
      const sent = await Promise.all([
        rig.send(one.watched, other.number, { kind: 'text', text: 'there' }),
        rig.send(other.watched, one.number, { kind: 'text', text: 'back' }),
      ]);
      await eventually('there', () => rig.stores.messages.find(other.deviceId, sent[0].record.id));
      await eventually('back', () => rig.stores.messages.find(one.deviceId, sent[1].record.id));
    }
  }
  assert.equal(devices.length, 3);
});
