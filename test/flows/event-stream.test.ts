/** A reader of the event stream that comes back after every end: it has the log, without a gap and in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from '../http/events/sse.ts';
import { startMortal } from '../support/mortal.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, type Place, untilOpen } from './steps.ts';

/** Begins after the last one in `got`, reads until `stop`, and resumes after the last event that it has whenever the stream ends. */
const follow = (place: Place, id: number, got: string[]) => {
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  const run = async (): Promise<void> => {
    while (!stopped()) {
      try {
        const headers = { 'last-event-id': got.at(-1)! };
        await using reader = await readEvents(place.api, `/devices/${id}/events`, headers);
        for (let event = await reader.next(); event !== null && !stopped(); event = await reader.next()) {
          assert.equal(event.data.id, event.id);
          got.push(event.id);
        }
      } catch {
        // Cut off, or the service is down: it comes back.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  return { stop: () => stopping.abort(), done: run() };
};

test('over two kills and a busy log the stream has every event once', async () => {
  await using mortal = await startMortal();
  await addPhones(mortal);
  const id = await linkDevice(mortal);
  const [first] = await eventsOf(mortal, id);
  const got: string[] = [first!.id];
  const reader = follow(mortal, id, got);
  for (let round = 0; round < 3; round += 1) {
    const writing = mortal.phones.write(bob, { to: ada, text: 'number {n}', count: 40 });
    if (round > 0) {
      await mortal.kill();
      await mortal.restart();
    }
    await writing;
    await untilOpen(mortal, id);
  }
  const log = await eventually('all in the log', async () => {
    const events = await eventsOf(mortal, id);
    return events.filter(({ type }) => type === 'message.received').length === 120 && events.map((event) => event.id);
  });
  await eventually('all in the stream', () => got.length >= log.length);
  reader.stop();
  assert.deepEqual(got.slice(0, log.length), log);
  // The stream ends with the service, and the reader with it.
  await mortal.kill();
  await reader.done;
});
