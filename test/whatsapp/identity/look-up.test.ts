/** Looking a number up: what the network says of it, and what it does not say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/clock.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { lookUp, type LookUpContext } from '../../../src/whatsapp/identity/look-up.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { memoryStore } from '../signal/support.ts';

type Answer =
  | {
      readonly id: string;
      readonly contact: { readonly exists: boolean; readonly asked: string | null };
      readonly lid?: string;
    }[]
  | null;

/** A context whose network gives the answers in turn. */
const asking = (...answers: readonly Answer[]): LookUpContext => {
  const left = [...answers];
  const usync = async () => {
    const list = left.shift() ?? null;
    return list && { list, sideList: [] };
  };
  return {
    deviceId: 1,
    memory: makeDeviceMemory(),
    store: { readKeys: async () => new Map(), commit: async () => [] },
    sock: { usync },
    lidMapping: makeLidMapping({ deviceId: 1, store: memoryStore() }),
    clock: systemClock,
  };
};

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;

test('driver: a look-up that the network does not answer says nothing about the number', async () => {
  const context = asking(null, [{ id: jid, contact: { exists: true, asked: null } }]);
  await assert.rejects(lookUp(context, number), /did not answer/);
  assert.equal(await lookUp(context, number), jid);
});

test('driver: a number that the network does not know is nobody, for a while', async () => {
  const context = asking([]);
  assert.equal(await lookUp(context, number), null);
  assert.equal(await lookUp(context, number), null);
});

test('driver: a look-up brings the LID along, which a first message would have to ask for', async () => {
  const context = asking([
    { id: '4915112345670@s.whatsapp.net', contact: { exists: false, asked: null } },
    { id: jid, contact: { exists: true, asked: null }, lid: '2001@lid' },
  ]);
  assert.equal(await lookUp(context, number), jid);
  assert.deepEqual(context.lidMapping.peek(jid), { phone: jid, lid: '2001@lid' });
});
