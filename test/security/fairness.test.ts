/** One user cannot starve another: turns, large bodies, streams, and the queue of a device are all bounded. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HandsetError } from '../../src/errors.ts';
import { makeTarpit } from '../../src/http/admission/admission.ts';
import { ConcurrencyLimit } from '../../src/service/users/admission.ts';
import { type RawClient, rawClient, requestHead } from '../http/raw.ts';
import { startHttp, withHttp } from '../http/harness.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/wait.ts';

/** The deadline of a request, which passes when the test says so. */
const deadline = () => {
  const watching = new Set<(error: HandsetError) => void>();
  return {
    passed: null,
    watch(late: (error: HandsetError) => void) {
      watching.add(late);
      return () => watching.delete(late);
    },
    pass(error: HandsetError) {
      for (const late of watching) late(error);
    },
  };
};

const never = deadline();

test('turns: so many at a time, in order, and another user passes those who wait', async () => {
  const limit = new ConcurrencyLimit({ perUser: 2, total: 10, queued: 2 });
  const first = await limit.acquire(1, never);
  await limit.acquire(1, never);
  const order: number[] = [];
  const third = limit.acquire(1, never).then(() => order.push(3));
  const fourth = limit.acquire(1, never).then(() => order.push(4));
  await assert.rejects(limit.acquire(1, never), { name: 'RateLimited', retryAfterSeconds: 1 });
  (await limit.acquire(2, never))();
  assert.deepEqual(order, []);
  first();
  first();
  await third;
  assert.deepEqual(order, [3], 'a turn is given back once');
  void fourth;
});

test('turns: who gives up leaves the line, and the limit over all holds', async () => {
  const limit = new ConcurrencyLimit({ perUser: 2, total: 2, queued: 5 });
  const mine = await limit.acquire(1, never);
  await limit.acquire(2, never);
  const late = deadline();
  const waiting = limit.acquire(3, late);
  const next = limit.acquire(3, never);
  late.pass(new HandsetError('RequestTimeout', 'enough'));
  await assert.rejects(waiting, /enough/);
  mine();
  (await next)();
  await limit.acquire(4, never);
});

test('turns: those who wait take turns by user, whoever has the longest line', async () => {
  const limit = new ConcurrencyLimit({ perUser: 1, total: 1, queued: 100 });
  const order: string[] = [];
  const run = async (userId: number): Promise<void> => {
    const give = await limit.acquire(userId, never);
    order.push(`user ${userId}`);
    await Promise.resolve();
    give();
  };
  const all = [...Array.from({ length: 20 }, () => run(1)), run(2), run(2), run(3)];
  await Promise.all(all);
  // The first had its turn before anybody waited.
  assert.deepEqual(
    order.slice(0, 7),
    [1, 1, 2, 3, 1, 2, 1].map((id) => `user ${id}`),
  );
  assert.equal(order.length, 23);
});

test('turns: some are kept for users who have none', async () => {
  const limit = new ConcurrencyLimit({ perUser: 4, total: 6, reserved: 3, queued: 10 });
  for (let n = 0; n < 3; n += 1) await limit.acquire(1, never);
  assert.equal(limit.tryAcquire(1), false);
  for (const user of [2, 3, 4]) assert.equal(limit.tryAcquire(user), true, `user ${user}`);
  assert.equal(limit.tryAcquire(5), false, 'no more than in all');
});

/** Begins an upload of so many bytes, of which one comes now and then. */
const drip = async (port: number, path: string, key: string): Promise<RawClient> => {
  const client = await rawClient(port);
  client.write(requestHead('POST', path, key, ['Content-Type: application/json', 'Content-Length: 15000000']));
  client.write('{');
  return client;
};

test('uploads that drip hold up nobody, and are ended', async () => {
  const clock = manualClock(Date.now());
  await using http = await startHttp({ clock, requestTimeoutMs: 90_000 });
  const clients: RawClient[] = [];
  try {
    for (let user = 0; user < 4; user += 1) {
      const { api: slow } = await http.user(`slow ${user}`);
      const { body } = await slow.post('/devices');
      for (let n = 0; n < 8; n += 1) {
        clients.push(await drip(http.port, `/v1/devices/${body.device.id}/messages/media`, slow.key!));
      }
    }
    const id = await http.linked();
    const image = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(2_000_000)]).toString('base64');
    const began = performance.now();
    const sent = await http.api.post(`/devices/${id}/messages/media`, {
      toNumber: '4917000000001',
      mediaBase64: image,
    });
    assert.equal(sent.status, 200);
    assert.ok(performance.now() - began < 5_000);
    await clock.advance(10_001);
    const ended = await Promise.race(clients.map((client) => client.until('408 Request Timeout')));
    assert.match(ended, /too slowly/);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});

test('a user who fills all of their turns with waiting sends holds up nobody else', async () => {
  await using http = await startHttp({ userConcurrency: 4, requestTimeoutMs: 30_000 });
  const id = await http.linked();
  http.network.script.send = 'wait';
  const abort = new AbortController();
  const send = { method: 'POST', signal: abort.signal, headers: { 'content-type': 'application/json' } };
  const body = JSON.stringify({ toNumber: '4915112345678', message: 'x' });
  const stuck = Array.from({ length: 40 }, () =>
    http.api.fetch(`/devices/${id}/messages/text`, { ...send, body }).catch(() => undefined),
  );
  const { api: other } = await http.user('other');
  for (let count = 0; count < 20; count += 1) {
    const began = performance.now();
    assert.equal((await other.get('/devices')).status, 200);
    assert.ok(performance.now() - began < 15_000);
  }
  abort.abort();
  await Promise.all(stuck);
  await eventually('the turns are free again', async () => (await http.api.get('/me')).status === 200);
});

test(
  'an open stream takes no turn',
  withHttp(
    async (http) => {
      const id = await http.device();
      for (const path of [`/devices/${id}/events`, '/events']) {
        const abort = new AbortController();
        const streams = await Promise.all(
          Array.from({ length: 5 }, () =>
            http.api.fetch(path, { headers: { accept: 'text/event-stream' }, signal: abort.signal }),
          ),
        );
        assert.ok(streams.every(({ status }) => status === 200));
        assert.equal((await http.api.get('/devices')).status, 200);
        abort.abort();
      }
    },
    { userConcurrency: 2 },
  ),
);

test('large bodies are read a few at a time, so that slow ones cannot fill the memory', async () => {
  await using http = await startHttp();
  const id = await http.linked();
  const path = `/v1/devices/${id}/messages/media`;
  const headers = ['Content-Type: application/json', 'Content-Length: 15000000', 'Expect: 100-continue'];
  const clients = await Promise.all(Array.from({ length: 6 }, () => rawClient(http.port)));
  const invited = new Set<number>();
  for (const [index, client] of clients.entries()) {
    client.write(requestHead('POST', path, http.api.key!, headers));
    void client.until('HTTP/1.1 100 Continue').then(
      () => invited.add(index),
      () => undefined,
    );
  }
  await eventually('four are let in', () => invited.size === 4);
  assert.equal((await http.api.get('/devices')).status, 200, 'small requests are served meanwhile');
  const other = await http.user('other');
  const theirs = await new Promise<number>((resolve, reject) => {
    const post = request(`${http.url}/v1/devices/1/messages/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.api.key}`, 'content-type': 'application/json' },
    });
    post.on('response', (response) => resolve(response.statusCode ?? 0)).on('error', reject);
    post.end('{}');
  });
  assert.equal(theirs, 404, "and another user's image is not behind them");
  clients[[...invited][0]!]![Symbol.dispose]();
  await eventually('the next one is let in', () => invited.size === 5);
  for (const client of clients) client[Symbol.dispose]();
});

test('refusals come at once, and later for who does not stop', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const tarpit = makeTarpit(() => now);
  const refusal = new HandsetError('RateLimited', 'no');
  /** In steps of 10 ms. */
  const msOf = async (who: string, error: unknown = refusal): Promise<number> => {
    let isOver = false;
    void tarpit.delay(who, error).then(() => (isOver = true));
    for (let ms = 0; ; ms += 10) {
      await setImmediate();
      if (isOver) return ms;
      t.mock.timers.tick(10);
    }
  };
  for (let count = 0; count < 20; count += 1) assert.equal(await msOf('a'), 0);
  for (let count = 0; count < 15; count += 1) await msOf('a');
  assert.equal(await msOf('a'), 160, 'the 36th');
  assert.equal(await msOf('b'), 0, 'somebody else');
  assert.equal(await msOf('a', new HandsetError('NotFound', 'no')), 0, 'another error');
  now += 10_000;
  assert.equal(await msOf('a'), 0, 'it is forgotten');
});
