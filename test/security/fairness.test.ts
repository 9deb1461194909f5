/** One user cannot starve another: turns, large bodies, streams, and the queue of a device are all bounded. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { HandsetError } from '../../src/errors.ts';
import { slowDown } from '../../src/http/slow-down.ts';
import { Turns } from '../../src/http/turns.ts';
import { rawClient, requestHead } from '../http/raw.ts';
import { startHttp, withHttp } from '../http/harness.ts';
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
  const turns = new Turns({ each: 2, all: 10, waiting: 2 });
  const first = await turns.take(1, never);
  await turns.take(1, never);
  const order: number[] = [];
  const third = turns.take(1, never).then(() => order.push(3));
  const fourth = turns.take(1, never).then(() => order.push(4));
  await assert.rejects(turns.take(1, never), { name: 'RateLimited', retryAfterSeconds: 1 });
  (await turns.take(2, never))();
  assert.deepEqual(order, []);
  first();
  first();
  await third;
  assert.deepEqual(order, [3], 'a turn is given back once');
  void fourth;
});

test('turns: who gives up leaves the line, and the limit over all holds', async () => {
  const turns = new Turns({ each: 2, all: 2, waiting: 5 });
  const mine = await turns.take(1, never);
  await turns.take(2, never);
  const patience = deadline();
  const waiting = turns.take(3, patience);
  const next = turns.take(3, never);
  patience.pass(new HandsetError('RequestTimeout', 'enough'));
  await assert.rejects(waiting, /enough/);
  mine();
  (await next)();
  await turns.take(4, never);
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

test('refusals come at once, and later for who does not stop', async () => {
  let now = 0;
  const patience = slowDown(() => now);
  const refusal = new HandsetError('RateLimited', 'no');
  const msOf = async (who: string, error: unknown = refusal): Promise<number> => {
    const began = performance.now();
    await patience.refuse(who, error);
    return performance.now() - began;
  };
  for (let count = 0; count < 20; count += 1) assert.ok((await msOf('a')) < 90);
  for (let count = 0; count < 15; count += 1) await msOf('a');
  assert.ok((await msOf('a')) > 100, 'the 36th');
  assert.ok((await msOf('b')) < 90, 'somebody else');
  assert.ok((await msOf('a', new HandsetError('NotFound', 'no'))) < 90, 'another error');
  now += 10_000;
  assert.ok((await msOf('a')) < 90, 'it is forgotten');
});
