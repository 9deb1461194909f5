/** Large pages (docs/spec/http-interface.md, Limits and Paging): they end at 4 MB, come as a stream, and few of them are under way at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/wait.ts';
import { record } from '../store/contract/fixture.ts';
import { watchTurns } from '../support/turns.ts';
import { type Harness, startHttp, withHttp } from './harness.ts';
import { rawClient, requestHead } from './raw.ts';

const wide = '\u{4E16}'.repeat(65_536);
const mega = 1_048_576;

const addStatus = (http: Harness, deviceId: number, id: string, text: string) => {
  const [at, expiresAt] = [Date.now(), Date.now() + 3_600_000];
  const times = { expiresAt, acceptedAt: null, deletedAt: null, recipients: null };
  const status = { ...times, message: record(id, { text, timestamp: at }), background: null, font: null };
  return http.stores.changes.commit(deviceId, { statuses: [{ kind: 'new', status, audience: null }] });
};

/** A device with so many messages of 196 kB each. */
const withMessages = async (http: Harness, count: number): Promise<number> => {
  const id = await http.device();
  for (let n = 0; n < count; n += 1)
    await http.stores.changes.commit(id, { messages: [record(`M${n}`, { text: wide, timestamp: 1_000 + n })] });
  return id;
};

test(
  'a page ends at 4 MB though its limit is higher, and the pages together are the whole list',
  withHttp(async (http) => {
    const count = 50;
    const id = await withMessages(http, count);
    const ids: string[] = [];
    const sizes: number[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const answer = await http.api.fetch(`/devices/${id}/messages?limit=1000${after}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      const text = await answer.text();
      const { messages, nextCursor, status } = JSON.parse(text);
      assert.deepEqual(status, { code: 200, message: 'Messages listed' });
      ids.push(...messages.map((message: { id: string }) => message.id));
      sizes.push(Buffer.byteLength(text));
      cursor = nextCursor;
    } while (cursor !== null);
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, n) => `M${count - 1 - n}`),
    );
    assert.ok(sizes.length >= 3 && Math.max(...sizes) < 4.3 * mega && sizes[0]! > 3.5 * mega, sizes.join(', '));
    const found = await http.api.get(`/devices/${id}/messages?limit=3`);
    assert.equal(found.body.messages.length, 3);
    const head = await http.api.fetch(`/devices/${id}/messages?limit=1000`, { method: 'HEAD' });
    assert.equal(head.status, 200);
  }),
);

/** What follows the first page. */
const pagesOf = async (http: Harness, path: string, name: string) => {
  const pages: number[] = [];
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await http.api.fetch(`${path}?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.equal(answer.status, 200);
    const text = await answer.text();
    const body = JSON.parse(text);
    for (const { id, messageId } of body[name]) ids.add(id ?? messageId);
    pages.push(Buffer.byteLength(text));
    cursor = body.nextCursor;
  }
  return { pages, ids };
};

for (const name of ['statuses', 'scheduled'] as const) {
  test(
    `pages of ${name} end at 4 MB, too`,
    withHttp(async (http) => {
      const id = await http.linked();
      const count = 45;
      for (let n = 0; n < count; n += 1) {
        const sendAt = new Date(Date.now() + 86_400_000 + n).toISOString();
        if (name === 'statuses') await addStatus(http, id, `S${n}`, wide);
        else {
          const body = { toNumber: '4915112345678', message: wide, sendAt };
          assert.equal((await http.api.post(`/devices/${id}/messages/text`, body)).status, 200);
        }
      }
      const path = `/devices/${id}/${name === 'statuses' ? 'status' : `messages/${name}`}`;
      const { pages, ids } = await pagesOf(http, path, name);
      assert.equal(ids.size, count);
      assert.ok(pages.length >= 3 && Math.max(...pages) < 4.3 * mega && pages[0]! > 3.5 * mega, pages.join(', '));
    }),
  );
}

/** Asks for pages so often on one connection, and reads nothing. */
const neverReads = async (http: Harness, id: number, times: number) => {
  const client = await rawClient(http.port);
  client.socket.pause();
  client.write(requestHead('GET', `/v1/devices/${id}/messages?limit=1000`, http.api.key!, []).repeat(times));
  return client;
};

test('more large answers than a user may have at once wait, and then are a 503; other users are served', async () => {
  const clock = manualClock(Date.now());
  await using http = await startHttp({ clock, requestTimeoutMs: 30_000 });
  const id = await withMessages(http, 25);
  const other = await http.user('other');
  const { body } = await other.api.post('/devices');
  let asked = 0;
  const { list } = http.stores.messages;
  const counted: typeof list = (...given) => {
    asked += 1;
    return list(...given);
  };
  Object.assign(http.stores.messages, { list: counted });
  const client = await neverReads(http, id, 8);
  await eventually('pages are read', () => asked >= 4);
  const refused = http.api.get(`/devices/${id}/messages?limit=1`);
  assert.equal((await other.api.get(`/devices/${body.device.id}/messages`)).status, 200, 'somebody else');
  assert.equal((await http.api.get('/devices')).status, 200, 'what is small waits for nothing');
  await clock.advance(10_001);
  const { status, headers, body: why } = await refused;
  assert.equal(status, 503);
  assert.deepEqual([headers.get('retry-after'), headers.get('handset-reason')], ['5', 'busy']);
  assert.match(why.status.message, /Too many large answers/);
  client[Symbol.dispose]();
  await eventually('there is room again', async () => {
    const again = http.api.get(`/devices/${id}/messages?limit=1`);
    await clock.advance(10_001);
    return (await again).status === 200;
  });
});

test(
  'an answer is cut when its reader takes nothing of it',
  withHttp(
    async (http) => {
      const id = await withMessages(http, 25);
      using client = await neverReads(http, id, 8);
      await eventually('the end of the connection', () =>
        http.log.some((line) => line.includes('"route":"/v1/devices/:id/messages"')),
      );
      client.socket.resume();
      await client.closed();
      assert.equal((await http.api.get(`/devices/${id}/messages?limit=1`)).status, 200);
    },
    { stalledReaderMs: 300 },
  ),
);

test(
  'a list of thousands of devices leaves others their turn: all of it, and its pages',
  withHttp(async (http) => {
    const count = 4_000;
    const made = {
      name: 'a device',
      webhookUrl: 'https://example.com/hook',
      webhookEvents: ['message.received'] as const,
    };
    const { id: userId } = await http.service.users.createUser('many', count);
    const { secret } = await http.service.users.createKey(userId, { name: 'test', expiresAt: null });
    const ids: number[] = [];
    while (ids.length < count) {
      const some = Array.from({ length: 100 }, () => http.stores.devices.create({ userId, ...made }, Date.now()));
      for (const { id } of await Promise.all(some)) ids.push(id);
    }
    using turns = watchTurns();
    const headers = { authorization: `Bearer ${secret}` };
    for (const [query, expected] of [
      ['', count],
      ['?limit=1000', 1_000],
    ] as const) {
      turns.longestMs();
      const answer = await fetch(`${http.url}/v1/devices${query}`, { headers });
      const text = await answer.text();
      const longest = turns.longestMs();
      const { devices, status, nextCursor } = JSON.parse(text);
      assert.deepEqual(status, { code: 200, message: 'Devices listed' });
      assert.equal(typeof nextCursor, query === '' ? 'undefined' : 'string');
      assert.deepEqual(
        devices.map((device: { id: number }) => device.id),
        ids.slice(0, expected),
      );
      assert.ok(longest < 40, `a turn took ${longest.toFixed(0)} ms`);
    }
  }),
);
