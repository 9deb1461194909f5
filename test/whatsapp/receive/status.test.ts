/** Status posts of contacts, and stanzas of kinds that nobody reads. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { acknowledgeUnhandled } from '../../../src/whatsapp/receive/inbound.ts';
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

test('unhandled: a stanza of an unknown kind is acknowledged, what is handled elsewhere is not', () => {
  const socket = Object.assign(new EventEmitter(), { isOpen: true });
  const acks: BinaryNode[] = [];
  acknowledgeUnhandled(socket, (nodes) => acks.push(...nodes));
  const tell = (tag: string, attrs: BinaryNode['attrs']) => socket.emit('frame', { tag, attrs });
  tell('appdata', { id: 'A1', from: '1@lid', type: 'x', participant: '2@lid' });
  tell('status', { id: 'S1', from: 'status@broadcast', type: 'media', participant: '2@lid' });
  for (const tag of ['message', 'receipt', 'iq', 'ack', 'ib']) tell(tag, { id: 'M1', from: '1@lid' });
  tell('whatever', { from: '1@lid' });
  tell('whatever', { id: 'W1' });
  assert.deepEqual(acks, [
    { tag: 'ack', attrs: { id: 'A1', to: '1@lid', class: 'appdata', type: 'x', participant: '2@lid' } },
    { tag: 'ack', attrs: { id: 'S1', to: 'status@broadcast', class: 'status', type: 'media', participant: '2@lid' } },
  ]);
});
