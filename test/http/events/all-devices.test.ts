/** The stream over all devices of a user, and one event by its id (docs/spec/events.md, Streams). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { type Harness, withHttp } from '../harness.ts';
import { readEvents } from './sse.ts';

const called = (callId: string) => {
  const from = { from: '1@lid', fromNumber: null, fromLid: '1@lid' };
  const data = { callId, ...from, isVideo: false, isGroup: false, status: 'offer' as const };
  return { event: { type: 'call' as const, data }, at: Date.now() };
};

const ring = async ({ stores }: Harness, deviceId: number, callId: string): Promise<void> => {
  await stores.changes.commit(deviceId, { facts: [called(callId)] });
};

/** More than a stream keeps for a reader that does not read. */
const burst = (name = 'x') => Array.from({ length: 1001 }, (_, index) => called(`${name}${index}`));

test(
  'one stream has the events of all own devices, new ones too, and of nobody else',
  withHttp(async (http) => {
    const other = await http.user('other');
    const first = await http.device();
    const foreign = (await other.api.post('/devices')).body.device.id as number;
    await using stream = await readEvents(http.api, '/events');
    assert.equal(stream.response.headers.get('content-type'), 'text/event-stream');
    assert.match((await stream.block()) ?? '', /: connected/);
    await ring(http, foreign, 'foreign');
    await ring(http, first, 'first');
    const second = await http.device();
    await ring(http, second, 'second');
    const seen: string[] = [];
    while (!seen.includes('second')) {
      const event = await stream.next();
      assert.ok(event !== null);
      assert.equal(event.id, event.data.id);
      if (event.event === 'call') seen.push(`${event.data.data.callId}`);
      else assert.equal(event.data.deviceId, second);
    }
    assert.deepEqual(seen, ['first', 'second']);
  }),
);

test('the stream counts as one request, needs its media type and a key, and ends with the key', async () => {
  const clock = manualClock();
  await withHttp(
    async (http) => {
      const refused = await http.api.get('/events');
      assert.equal(refused.status, 400);
      assert.match(refused.body.status.message, /text\/event-stream/);
      const { id, api } = await http.user('short-lived');
      await using stream = await readEvents(api, '/events');
      assert.equal(stream.response.headers.get('ratelimit-remaining'), '99');
      await stream.block();
      const [key] = await http.service.users.listKeys(id);
      await http.stores.users.revokeKey(id, key!.id, clock.now());
      await eventually('the stream ends', async () => {
        await clock.advance(16_000);
        return http.service.users.authenticate(api.key!).then((known) => known === null);
      });
      const ended = stream.rest();
      await clock.advance(16_000);
      assert.deepEqual(await ended, []);
    },
    { rateLimit: 100, clock },
  )();
});

test(
  'a reader that falls behind is cut off instead of kept in memory',
  withHttp(async (http) => {
    const id = await http.device();
    await using stream = await readEvents(http.api, '/events');
    await stream.block();
    await http.stores.changes.commit(id, { facts: burst() });
    assert.deepEqual(await stream.rest(), []);
  }),
);

test(
  'a burst of one user ends nobody else’s stream, also while its reader does not read',
  withHttp(async (http) => {
    const other = await http.user('other');
    const foreign = (await other.api.post('/devices')).body.device.id as number;
    const own = await http.device();
    await using stream = await readEvents(http.api, '/events');
    await stream.block();
    for (let count = 0; count < 3; count += 1) await http.stores.changes.commit(foreign, { facts: burst(`${count} `) });
    await ring(http, own, 'mine');
    const next = await stream.next();
    assert.equal(next?.data.data.callId, 'mine');
  }),
);

test(
  'one event is read by its id, as it was posted; another device’s is not found',
  withHttp(async (http) => {
    const [id, second] = [await http.device(), await http.device()];
    await ring(http, id, 'one');
    const { events } = (await http.api.get(`/devices/${id}/events`)).body;
    const wanted = events.at(-1);
    const { status, body } = await http.api.get(`/devices/${id}/events/${wanted.id}`);
    assert.equal(status, 200);
    assert.deepEqual(body.event, wanted);
    for (const path of [`/devices/${second}/events/${wanted.id}`, `/devices/${id}/events/evt_0`]) {
      const missing = await http.api.get(path);
      assert.deepEqual([missing.status, missing.body.status.message], [404, 'Event not found'], path);
    }
  }),
);
