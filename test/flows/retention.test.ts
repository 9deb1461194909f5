/** Expired data is deleted in the background; undelivered events stay, however old. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { makeLog } from '../../src/log.ts';
import { startHandset } from '../../src/main.ts';
import { api } from '../support/api.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice } from './steps.ts';

const dayMs = 86_400_000;
const longMs = 60_000;

/** A clock that is ahead, and whose long timers ring when the test says so. */
const clockAhead = (ms: number) => {
  const long = new Set<() => void>();
  const clock: Clock = {
    now: () => Date.now() + ms,
    after(wait, run) {
      if (wait < longMs) return systemClock.after(wait, run);
      long.add(run);
      return { cancel: () => long.delete(run) };
    },
  };
  const ring = (): void => {
    const due = Array.from(long);
    long.clear();
    for (const run of due) run();
  };
  return { clock, ring };
};

test('events and messages go after their time, and never what is undelivered', async () => {
  await using installation = await startInstallation();
  await using receiver = await startReceiver();
  await addPhones(installation);
  const id = await linkDevice(installation, ada, { webhookUrl: receiver.url, webhookEvents: ['message.received'] });
  const [taken] = await installation.phones.write(bob, { to: ada, text: 'taken' });
  await eventually('the delivery', async () => {
    const { deliveries } = (await installation.api.get(`/devices/${id}/deliveries?state=delivered`)).body;
    return deliveries.length === 1;
  });
  receiver.answer({ status: 500 });
  const [refused] = await installation.phones.write(bob, { to: ada, text: 'refused' });
  await receiver.until(2);
  await installation.stop();

  /** Moves the installation ahead by some days; returns what it keeps then, with the endpoint as it is. */
  const after = async (days: number, until: (kept: { events: string[]; messages: string[] }) => boolean) => {
    const { clock, ring } = clockAhead(days * dayMs);
    const config = readConfig({
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: installation.dataDir,
      HANDSET_NETWORK: installation.phones.controlUrl,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
      HANDSET_RATE_LIMIT: '100000',
    });
    const handset = await startHandset(config, { clock, log: makeLog('silent') });
    try {
      const place = { phones: installation.phones, api: api(`${handset.url}/v1`, ownerKey) };
      return await eventually(`what is to be after ${days} days`, async () => {
        ring();
        const events = (await eventsOf(place, id)).map(
          ({ data }) => (data as { message?: { id: string } }).message?.id,
        );
        const { messages } = (await place.api.get(`/devices/${id}/messages`)).body as { messages: { id: string }[] };
        const kept = { events: events.filter((one) => one !== undefined), messages: messages.map((one) => one.id) };
        return until(kept) && kept;
      });
    } finally {
      await handset.close();
    }
  };

  const kept = await after(6, ({ events }) => events.length === 2);
  assert.deepEqual(kept, { events: [taken, refused], messages: [refused, taken] });
  // Seven days are over: what was delivered goes from the log; messages are kept for thirty.
  const week = await after(8, ({ events }) => events.length === 1);
  assert.deepEqual(week, { events: [refused], messages: [refused, taken] });
  const month = await after(31, ({ messages }) => messages.length === 0);
  assert.deepEqual(month, { events: [refused], messages: [] });
  // A month late the endpoint is back: it still gets its event, and then that may go as well.
  const posts = receiver.received.length;
  receiver.answer({ status: 200 });
  await after(32, ({ events }) => events.length === 0);
  const late = receiver.received
    .slice(posts)
    .map(({ event }) => (event.data as { message: { id: string } }).message.id);
  assert.ok(late.includes(refused!));
});
