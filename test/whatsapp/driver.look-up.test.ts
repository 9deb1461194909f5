/** Looking a number up: what the network says of it, and what it does not say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { makeDeviceMemory } from '../../src/whatsapp/device-memory.ts';
import { lookUp, type LookUpContext } from '../../src/whatsapp/look-up.ts';

type Answer = { readonly jid: string; readonly exists: boolean }[] | undefined;

/** A context whose network gives the answers in turn. */
const asking = (...answers: readonly Answer[]): LookUpContext => {
  const left = [...answers];
  return {
    deviceId: 1,
    memory: makeDeviceMemory(),
    store: { readKeys: async () => new Map(), commit: async () => [] },
    link: { sock: { onWhatsApp: async () => left.shift() } },
    clock: systemClock,
  } as unknown as LookUpContext;
};

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;

test('driver: a look-up that the network does not answer says nothing about the number', async () => {
  const context = asking(undefined, [{ jid, exists: true }]);
  await assert.rejects(lookUp(context, number), /did not answer/);
  assert.equal(await lookUp(context, number), jid);
});

test('driver: a number that the network does not know is nobody, for a while', async () => {
  const context = asking([]);
  assert.equal(await lookUp(context, number), null);
  assert.equal(await lookUp(context, number), null);
});
