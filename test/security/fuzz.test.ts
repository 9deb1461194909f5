/** Thousands of requests that nobody sends, over every route: never a 500, always one of the two shapes (docs/spec/http-interface.md, Errors). */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, before, test } from 'node:test';
import { errorsOf } from '../../src/contract/errors.ts';
import * as fc from 'fast-check';
import type { Operation } from '../../src/http/wire/operation.ts';
import { sized } from '../system/support/length.ts';
import { type Harness, startHttp } from '../http/harness.ts';
import { type Route, routesOf } from './routes.ts';

const adminToken = 'an-admin-token-of-some-length-here';
/** For each operation; with those of the paths, some thousands in all. */
const runsEach = Number(process.env['FUZZ_RUNS'] ?? sized(10, 30));

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly id: string | undefined;
  readonly text: string;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

let http: Harness;
let routes: readonly Route[];
const agent = new Agent({ keepAlive: true, maxSockets: 8, host: '127.0.0.1' });
let requests = 0;

/** Below `fetch`, which would tidy paths and headers up. */
const send = (sent: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body } = sent;
    requests += 1;
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
    const one = request({ agent, port: http.port, method, path, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      const end = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          id: response.headers['x-request-id']?.toString(),
          text: Buffer.concat(chunks).toString(),
        });
      // Streams do not end; that they have begun is enough.
      if (/event-stream/.test(response.headers['content-type'] ?? '')) {
        end();
        one.destroy();
        return;
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', end);
    });
    // The server may close an idle connection in the moment in which it is used again: then nothing was asked yet.
    one.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' && one.reusedSocket) resolve(send(sent));
      else reject(error);
    });
    one.end(body ?? undefined);
  });

const isEnvelope = (value: unknown, code: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Reflect.get(value, 'code') === code &&
  typeof Reflect.get(value, 'message') === 'string' &&
  Reflect.get(value, 'message') !== '';

/** Shape A, shape B for 401 alone, and for success what the operation gives. */
const assertShape = (sent: Sent, { status, type, id, text }: Answer, operation?: Operation): void => {
  const shown = JSON.stringify({
    ...sent,
    body: sent.body?.toString().slice(0, 500),
    status,
    text: text.slice(0, 500),
  });
  assert.ok(status < 500, shown);
  assert.ok(id !== undefined, `no X-Request-Id: ${shown}`);
  // 400 always: a body where there is none to be, or of a content type that is none, may be called malformed.
  const known = [200, 400, 404, 405, ...(operation === undefined ? [401] : errorsOf(operation).keys())];
  assert.ok(known.includes(status), `${status} is not among the errors of the operation: ${shown}`);
  if (status === 200 && !/json/.test(type)) return;
  assert.match(type, /^application\/json/, shown);
  const body = JSON.parse(text) as Record<string, unknown>;
  if (status === 401) {
    assert.deepEqual(Object.keys(body).sort(), ['error', 'status'], shown);
    assert.ok(body['status'] === 'error' && isEnvelope(body['error'], 401), shown);
  } else if (status === 200) {
    const sentShape = body['status'] === 'success' && typeof body['messageId'] === 'string';
    assert.ok(sentShape || isEnvelope(body['status'], 200) || operation?.id === 'getOpenApi', shown);
  } else {
    assert.deepEqual(Object.keys(body), ['status'], shown);
    assert.ok(isEnvelope(body['status'], status), shown);
  }
  assert.doesNotMatch(status === 200 ? '' : text, /\bat .+\.ts:\d|node_modules|\/src\/|SQLITE|TypeError/, shown);
};

const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom('', '0', '-1', '1e9', '2147483648', '9'.repeat(400), '../1', '..%2f1', '%00', "1' or '1'='1", '1;--'),
  fc.constantFrom('__proto__', 'constructor', 'toString', '\u202e', '\ud83d\ude00', 'null', 'NaN', '[object Object]'),
);

/** In a path: a real id often enough to come further than the 404. */
const segment = (real: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(real) },
    { weight: 2, arbitrary: strange.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%c3', '*', ':id', '{id}', '.', '..', '+') },
  );

const value = fc.oneof(
  { weight: 3, arbitrary: strange },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 0, -0, 1e308, [], {}, [[]], [null], 'x'.repeat(70_000)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('http://127.0.0.1/', 'file:///etc/passwd', 'https://example.com/a.png', 'data:,'),
  },
);

/** Made once, for it takes longer than a hundred requests. */
const anyJson = fc.json();

/** An example with members taken out, changed and added; or something else altogether. */
const bodyFor = ({ body }: Operation): fc.Arbitrary<string | Buffer | null> => {
  const members = Object.keys(body?.schema && 'properties' in body.schema ? (body.schema.properties as object) : {});
  const example = fc.constantFrom(...(Object.values(body?.examples ?? { none: {} }) as Record<string, unknown>[]));
  const name = members.length === 0 ? strange : fc.oneof(fc.constantFrom(...members), strange);
  const changed = fc
    .tuple(example, fc.array(fc.tuple(name, value), { maxLength: 3 }), fc.array(name, { maxLength: 2 }))
    .map(([base, changes, gone]) => {
      const all = { ...base, ...Object.fromEntries(changes) };
      return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([key]) => !gone.includes(key))));
    });
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 2, arbitrary: anyJson },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(null, '', '{', '{"a":1}{', '"\\ud800"', '['.repeat(5000), '\ufeff{}'),
    },
  );
};

const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom('limit', 'cursor', 'after', 'state', 'chat', 'format', 'since', 'x'), strange), {
        maxLength: 3,
      })
      .map((pairs) => `?${pairs.map(([key, text]) => `${key}=${encodeURIComponent(text.toWellFormed())}`).join('&')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('?', '?&&', '?limit=1&limit=2', '?a[b]=c', '?%zz=1', '?limit', '?__proto__=1'),
  },
);

const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'a/b', 'x'),
    'idempotency-key': fc.constantFrom('a', 'b', 'x'.repeat(255), 'x'.repeat(256), ' '),
    accept: fc.constantFrom('*/*', 'text/event-stream', 'image/png', 'text/plain', 'q=;', ',,,', 'application/json'),
    'last-event-id': fc.constantFrom('', 'evt_', 'evt_1_2', 'x'.repeat(500)),
    'x-request-id': fc.constantFrom('ok', 'not ok', 'x'.repeat(500)),
    expect: fc.constantFrom('100-continue'),
  },
  { requiredKeys: [] },
);

before(async () => {
  const built = await routesOf(() => startHttp({ adminToken, rateLimit: 10_000_000 }));
  http = built.result;
  routes = built.routes.filter(({ operation }) => operation !== undefined);
});

after(async () => {
  agent.destroy();
  await http[Symbol.asyncDispose]();
});

/** Real ids, made again where an earlier case has deleted them. */
const realIds = async (): Promise<Readonly<Record<string, string>>> => {
  const { devices } = (await http.api.get('/devices')).body as { devices: { id: number; status: string }[] };
  for (const { id } of devices.slice(2)) await http.api.delete(`/devices/${id}`);
  let id = devices.slice(0, 2).find(({ status }) => status === 'connected')?.id;
  if (id === undefined) {
    id = (await http.api.post('/devices')).body.device.id as number;
    await http.network.link(id, '4915190000000');
  }
  const text = { toNumber: '4915112345678', message: 'x' };
  const { messageId = 'M' } = (await http.api.post(`/devices/${id}/messages/text`, text)).body;
  const { events } = (await http.api.get(`/devices/${id}/events?limit=1`)).body;
  const users = await http.stores.users.list();
  const spare = users.find(({ name }) => name.startsWith('spare')) ?? (await http.stores.users.create('spare', 2, 0));
  const key = (await http.api.post('/keys', { name: 'spare' })).body.key.id;
  return {
    id: String(id),
    deviceId: String(id),
    messageId,
    eventId: events[0]?.id ?? 'evt_1',
    deliveryId: 'dlv_1_1',
    keyId: String(key),
    userId: String(spare.id),
  };
};

/** Cases for one operation. */
const fuzz = async ({ method, url, operation }: Route, ids: Readonly<Record<string, string>>): Promise<void> => {
  const names = [...url.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const segments = fc.tuple(...names.map((name) => segment(ids[name] ?? 'x')));
  const token = url.startsWith('/admin/') ? adminToken : http.api.key!;
  const cases = fc.record({ segments, query, headers, body: bodyFor(operation!) });
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      let next = 0;
      const path = url.replace(/:\w+/g, () => one.segments[next++] ?? 'x') + one.query;
      const plain = method === 'GET' || method === 'DELETE';
      const sent = {
        method,
        path,
        headers: { 'content-type': 'application/json', ...one.headers, authorization: `Bearer ${token}` },
        body: plain ? null : one.body,
      };
      const answer = await send(sent);
      // It answers in the protocol's own form, JSON-RPC.
      if (url === '/mcp') return assert.ok(answer.status < 500, JSON.stringify({ ...sent, ...answer }));
      // A path that means something else is judged as what it means.
      const elsewhere = answer.status === 404 || /%2f|\.\.|\/\.(\/|$)|\/\//i.test(path.split('?')[0]!);
      assertShape(sent, answer, elsewhere ? undefined : operation);
    }),
    { numRuns: runsEach, endOnFailure: true },
  );
};

/** These leave the others nothing to work on. */
const ends = ({ method, url }: Route): boolean =>
  method === 'DELETE' || /\/(disconnect|restart|forget|export)$/.test(url);
const together = 6;

test('bodies, queries, headers and path segments of every operation', async () => {
  const lasting = routes.filter((route) => !ends(route));
  for (let first = 0; first < lasting.length; first += together) {
    const ids = await realIds();
    await Promise.all(lasting.slice(first, first + together).map((route) => fuzz(route, ids)));
  }
  for (const route of routes.filter(ends)) await fuzz(route, await realIds());
});

test('paths, methods and authorization that nobody sends', async () => {
  const piece = fc.oneof(
    fc.constantFrom('v1', 'admin', 'devices', '1', 'messages', 'media', 'keys', '..', '.', '', '%2e%2e', '%', 'docs'),
    strange.map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const path = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => `/${pieces.join('/')}`);
  const key = http.api.key!;
  const authorization = fc.oneof(
    fc.constantFrom(
      `Bearer ${key}`,
      `bearer  ${key}`,
      `Bearer ${key}x`,
      'Bearer',
      'Basic eDp4',
      `Bearer ${adminToken}`,
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((text) => text.trim()),
  );
  const method = fc.constantFrom(...'GET POST PUT DELETE PATCH OPTIONS TRACE PROPFIND QUERY HEAD'.split(' '));
  await fc.assert(
    fc.asyncProperty(fc.record({ method, path, authorization, query }), async (one) => {
      const sent = {
        method: one.method,
        path: one.path + one.query,
        headers: { authorization: one.authorization },
        body: null,
      };
      const answer = await send(sent);
      if (one.method === 'HEAD') assert.ok(answer.status < 500);
      else if (answer.status !== 200) assertShape(sent, answer);
    }),
    { numRuns: runsEach * 15, endOnFailure: true },
  );
  assert.ok(requests > runsEach * 100, `${requests} requests`);
});
