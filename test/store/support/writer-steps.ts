/** The steps that the crash test writes and reads back: every table that one commit touches agrees on the step's number. */
import assert from 'node:assert/strict';
import type { StoredEvent } from '../../../src/domain/event.ts';
import type { Stores } from '../../../src/domain/stores.ts';
import { bytes, hook, received, record, textOf } from '../contract/fixture.ts';
import { logOf } from '../../support/event-log.ts';

export type { Stores };

interface Writer {
  readonly deviceIds: readonly number[];
  commit(deviceId: number, step: number): Promise<readonly StoredEvent[]>;
}

export const openWriter = async (stores: Stores): Promise<Writer> => {
  const user = await stores.users.create('owner', 100, 0);
  for (let index = 0; index < 8; index += 1) {
    const device = { userId: user.id, name: 'x', webhookEvents: ['message.received'] as const, ...hook };
    await stores.devices.create(device, 0);
  }
  return writerOf(stores);
};

/** A writer for the existing devices. */
export const writerOf = async (stores: Stores): Promise<Writer> => ({
  deviceIds: (await stores.devices.list(null, { limit: 100, cursor: null })).items.map(({ id }) => id),
  commit: (deviceId, step) =>
    stores.changes.commit(deviceId, {
      credentials: bytes(`${step}`),
      keys: [{ type: 'session', id: 'peer', value: bytes(`${step}`) }],
      inbox: [{ key: `${step}`, plaintext: bytes(`${step}`) }],
      messages: [record(`M${step}`)],
      facts: [received(`M${step}`)],
      sent: 1,
    }),
});

/** Checks that the device is at one step in every table; returns the step. */
export const stepOf = async (stores: Stores, deviceId: number): Promise<number> => {
  const step = Number(textOf(await stores.credentials.loadCredentials(deviceId)) ?? '0');
  const keys = await stores.credentials.readKeys(deviceId, 'session', ['peer']);
  assert.equal(Number(textOf(keys.get('peer')) ?? '0'), step);
  assert.equal((await stores.devices.find(deviceId))?.messagesSent, step);
  assert.equal((await stores.messages.list(deviceId, { limit: 1, cursor: null })).items[0]?.id ?? 'M0', `M${step}`);
  const events = await logOf(stores.events, deviceId);
  assert.equal(events.length, step);
  assert.equal((await stores.outbox.list(deviceId, { limit: 1_000_000, cursor: null })).items.length, step);
  assert.equal(await stores.credentials.readInbox(deviceId, `${step + 1}`), null);
  if (step > 0) assert.equal(textOf(await stores.credentials.readInbox(deviceId, `${step}`)), `${step}`);
  return step;
};
