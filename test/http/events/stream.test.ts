/** The event log as a stream that has no gap (docs/spec/events.md, Streams). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../support/clock.ts';
import { api } from '../../support/api.ts';
import { eventually } from '../../support/wait.ts';
import { type Harness, startHttp, withHttp } from '../harness.ts';
import { rawClient, requestHead } from '../raw.ts';
import { happen, range } from './support.ts';
import { readEvents } from './sse.ts';

const numbersOf = (events: readonly { data: { data: { callId: string } } }[]): number[] =>
  events.map(({ data }) => Number.parseInt(data.data.callId, 10));

test(
  'a stream begins with what happens from now on; Last-Event-ID resumes it without a gap, while more keeps coming',
  withHttp(async (http) => {
    const id = await http.device();
    await happen(http, id, 0, 5);
    const seen: number[] = [];
    let last = '';
    {
      await using stream = await readEvents(http.api, `/devices/${id}/events`);
      assert.equal(stream.response.headers.get('content-type'), 'text/event-stream');
      assert.equal(stream.response.headers.get('ratelimit-limit'), '100000');
      assert.match((await stream.block()) ?? '', /^retry: \d+/);
      const writing = happen(http, id, 100, 20);
      for (let count = 0; count < 20; count += 1) {
        const event = await stream.next();
        assert.equal(event?.event, 'call');
        assert.equal(event.data.id, event.id);
        last = event.id;
        seen.push(...numbersOf([event]));
      }
      await writing;
    }
    // Away: 300 events, more than a page of the stream; they go on while it catches up.
    await happen(http, id, 120, 300);
    const more = happen(http, id, 420, 200);
    await using resumed = await readEvents(http.api, `/devices/${id}/events`, { 'last-event-id': last });
    while (seen.length < 520) seen.push(...numbersOf([(await resumed.next())!]));
    await more;
    assert.deepEqual(seen, range(100, 520));
  }),
);

test(
  'two streams and another device do not disturb each other',
  withHttp(async (http) => {
    const [one, two] = [await http.device(), await http.device()];
    await using first = await readEvents(http.api, `/devices/${one}/events`);
    await using again = await readEvents(http.api, `/devices/${one}/events`);
    await using other = await readEvents(http.api, `/devices/${two}/events`);
    for (const stream of [first, again, other]) await stream.block();
    await Promise.all([happen(http, one, 0, 3), happen(http, two, 50, 1)]);
    for (const stream of [first, again]) {
      assert.deepEqual(numbersOf([(await stream.next())!, (await stream.next())!, (await stream.next())!]), [0, 1, 2]);
    }
    const event = await other.next();
    assert.deepEqual([event?.data.deviceId, event?.data.data.callId], [two, '50']);
  }),
);

/** A stream with a key of its own, which has had an event. */
const openStream = async (http: Harness, deviceId: number, path: string, expiresAt: number | null = null) => {
  const { key, secret } = await http.service.users.createKey(http.userId, { name: 'of a stream', expiresAt });
  const stream = await readEvents(api(http.api.baseUrl, secret), path);
  assert.match((await stream.block()) ?? '', /connected/);
  await happen(http, deviceId, 1, 1);
  assert.deepEqual(numbersOf([(await stream.next())!]), [1]);
  return { key, stream };
};

test('what happens after a key is revoked is not in its streams, however much happens', async () => {
  await using http = await startHttp();
  const id = await http.device();
  for (const path of [`/devices/${id}/events`, '/events']) {
    const { key, stream } = await openStream(http, id, path);
    assert.equal((await http.api.delete(`/keys/${key.id}`)).status, 200);
    await happen(http, id, 2, 3);
    assert.deepEqual(await stream.rest(), [], path);
  }
});

test('a key that another process has revoked, or that has expired, gets nothing of what happens then', async () => {
  const clock = manualClock(Date.now());
  await using http = await startHttp({ clock });
  const id = await http.device();
  for (const path of [`/devices/${id}/events`, '/events']) {
    const { key, stream } = await openStream(http, id, path);
    // Past the service, which remembers keys for some seconds.
    await http.stores.users.revokeKey(http.userId, key.id, clock.now());
    await happen(http, id, 2, 1);
    assert.deepEqual(await stream.rest(), [], path);

    const { stream: other } = await openStream(http, id, path, clock.now() + 60_000);
    clock.jump(60_001);
    await happen(http, id, 2, 1);
    assert.deepEqual(await other.rest(), [], path);
  }
});

test('the stream of a device that is deleted ends', async () => {
  const clock = manualClock();
  await using http = await startHttp({ clock });
  const id = await http.device();
  const { stream } = await openStream(http, id, `/devices/${id}/events`);
  assert.equal((await http.api.delete(`/devices/${id}`)).status, 200);
  const rest = stream.rest();
  await eventually('the timer of its next look', () => clock.waiting > 0);
  await clock.advance(15_000);
  const late = (await rest).map(({ event }) => event);
  assert.ok(!late.includes('call'), String(late));
});

test('an idle stream has heartbeats, and ends when the key is revoked', async () => {
  const clock = manualClock();
  await using http = await startHttp({ clock });
  const user = await http.user('streamer');
  const id = (await user.api.post('/devices')).body.device.id;
  const { secret, key } = await http.service.users.createKey(user.id, { name: 'stream', expiresAt: null });
  await using stream = await readEvents(api(http.api.baseUrl, secret), `/devices/${id}/events`);
  await stream.block();
  const beat = stream.block();
  await eventually('the heartbeat timer', () => clock.waiting > 0);
  await clock.advance(15_000);
  assert.equal(await beat, ': keep-alive');
  await http.service.users.revokeKey(user.id, key.id);
  const end = stream.rest();
  await clock.advance(15_000);
  assert.deepEqual(await end, []);
});

test('streams end when the server closes', async () => {
  const http = await startHttp();
  const id = await http.device();
  const stream = await readEvents(http.api, `/devices/${id}/events`);
  await stream.block();
  const end = stream.rest();
  await http[Symbol.asyncDispose]();
  assert.deepEqual(await end, []);
});

test(
  'for a reader that does not read nothing is read ahead, and it misses nothing',
  withHttp(async (http) => {
    const id = await http.device();
    using client = await rawClient(http.port);
    const path = `/v1/devices/${id}/events`;
    client.write(requestHead('GET', path, http.api.key!, ['Accept: text/event-stream']));
    const large = 'x'.repeat(100_000);
    await client.until(': connected');
    client.socket.pause();
    const { body } = await http.api.get(path.slice(3));
    const last = body.events.at(-1).id;
    let read = 0;
    const { listAfter } = http.stores.events;
    const counted: typeof listAfter = async (...asked) => {
      const page = await listAfter(...asked);
      read += page.items.length;
      return page;
    };
    Object.assign(http.stores.events, { listAfter: counted });
    await happen(http, id, 0, 400, large);
    assert.ok(read > 0 && read <= 200, `${read} of 400 events were read`);
    Object.assign(http.stores.events, { listAfter });
    await using resumed = await readEvents(http.api, `/devices/${id}/events`, { 'last-event-id': last });
    const seen: number[] = [];
    while (seen.length < 400) seen.push(...numbersOf([(await resumed.next())!]));
    assert.deepEqual(seen, range(0, 400));
  }),
);

test(
  'a reader that stalls is cut off',
  withHttp(
    async (http) => {
      const id = await http.device();
      using client = await rawClient(http.port);
      const head = requestHead('GET', `/v1/devices/${id}/events`, http.api.key!, ['Accept: text/event-stream']);
      client.write(head);
      await client.until(': connected');
      client.socket.pause();
      await happen(http, id, 0, 300, 'x'.repeat(100_000));
      await eventually('the end of the connection', () => http.log.some((line) => line.includes('/events')));
    },
    { stalledReaderMs: 200 },
  ),
);

test(
  'an id that is not of this device is 400 before the stream begins; HEAD does not stream',
  withHttp(async (http) => {
    const id = await http.device();
    for (const last of ['nonsense', 'evt_000000000000000000']) {
      const answer = await http.api.get(`/devices/${id}/events`, {
        headers: { accept: 'text/event-stream', 'last-event-id': last },
      });
      const { code, message } = answer.body.status;
      assert.deepEqual([code, message], [400, 'Last-Event-ID must be the id of an event of this device']);
      const after = await http.api.get(`/devices/${id}/events?after=${last}`, {
        headers: { accept: 'text/event-stream' },
      });
      assert.equal(after.body.status.message, 'after must be the id of an event of this device');
    }
    const head = await http.api.call('HEAD', `/devices/${id}/events`, undefined, {
      headers: { accept: 'text/event-stream' },
    });
    assert.deepEqual([head.status, head.body, head.headers.get('content-length')], [200, undefined, null]);
    const both = await http.api.get(`/devices/${id}/events`, {
      headers: { accept: 'application/json, text/event-stream;q=0.5' },
    });
    assert.equal(both.body.status.code, 200);
  }),
);

test(
  'kinds that no webhook gets are in a page only where they are asked for, and in every stream; an unknown kind is refused',
  withHttp(async (http) => {
    const id = await http.device();
    const { body: before } = await http.api.get(`/devices/${id}/events`);
    const after = before.events.at(-1).id;
    const person = { jid: '1@lid', number: null, lid: '1@lid' };
    const data = { chat: '1@lid', person, state: 'text' as const, lastSeenAt: null };
    const presence = { event: { type: 'chat.presence' as const, data }, at: Date.now() };
    await http.stores.changes.commit(id, { facts: [presence] });
    await happen(http, id, 0, 1);
    const typesOf = async (query: string): Promise<string[]> =>
      (await http.api.get(`/devices/${id}/events?after=${after}${query}`)).body.events.map(
        ({ type }: { type: string }) => type,
      );
    assert.deepEqual(await typesOf(''), ['call']);
    assert.deepEqual(await typesOf('&types=chat.presence'), ['chat.presence']);
    assert.deepEqual(await typesOf('&types=call,chat.presence'), ['chat.presence', 'call']);
    const { body } = await http.api.get(`/devices/${id}/events?types=call,no`);
    assert.deepEqual([body.status.code, /call.*history\.loaded/.test(body.status.message)], [400, true]);
    const streamed = async (query: string): Promise<string | undefined> => {
      await using stream = await readEvents(http.api, `/devices/${id}/events${query}`, { 'last-event-id': after });
      return (await stream.next())?.data.type;
    };
    assert.deepEqual([await streamed(''), await streamed('?types=call')], ['chat.presence', 'call']);
  }),
);
