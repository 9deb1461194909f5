/**
 * No user sees or changes anything of another one, over every route: the framework tells the routes, so a new one is covered
 * by construction, or fails the test until it is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, startHttp } from '../http/harness.ts';
import { type Answer, type Api, api } from '../support/api.ts';
import { eventually } from '../support/wait.ts';
import { filled, type Route, routesOf } from './routes.ts';

const adminToken = 'an-admin-token-of-some-length-here';

/** Routes that need no key. Adding one states that it shows nothing of any user. */
const open = new Set(['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs', '/']);
const isOpen = (url: string): boolean =>
  open.has(url) || url.startsWith('/assets/') || url === '/passkey-extension.zip';

/** Below `/v1` and without a device: looked at one by one. */
const withoutDevice = new Set([
  'POST /v1/devices',
  'POST /v1/devices/adopt',
  'GET /v1/devices',
  'GET /v1/keys',
  'POST /v1/keys',
  'PUT /v1/keys/:keyId',
  'DELETE /v1/keys/:keyId',
  'GET /v1/suppressions',
  'POST /v1/suppressions',
  'DELETE /v1/suppressions/:number',
  'GET /v1/me',
  'GET /v1/accounts',
  'GET /v1/usage',
  'GET /v1/openapi.json',
  'GET /v1/events',
  'GET /v1/webhooks',
  'POST /v1/webhooks',
  'GET /v1/webhooks/:webhookId',
  'PUT /v1/webhooks/:webhookId',
  'DELETE /v1/webhooks/:webhookId',
  'POST /v1/webhooks/:webhookId/rotate-secret',
  'POST /v1/webhooks/:webhookId/test',
  'GET /v1/webhooks/:webhookId/deliveries',
  'GET /v1/webhooks/:webhookId/deliveries/:deliveryId/attempts',
  'POST /v1/webhooks/:webhookId/deliveries/:deliveryId/retry',
  'POST /v1/webhooks/:webhookId/deliveries/retry',
]);

/**
 * The sign-in of the dashboard, which names nothing but the caller's own key, and its snapshot, each part of which is another route's answer to the
 * caller (`sign-in.test.ts`).
 */
const signIns: ReadonlySet<string> = new Set(['POST /session', 'DELETE /session', 'GET /session/snapshot']);

/** Its tools call the other routes with the key of the caller (`test/cli/mcp.http.test.ts`). */
const tools: ReadonlySet<string> = new Set(['POST /mcp']);

/** Preflights, which browsers send without a key; the answer is the same whether the device exists or not. */
const preflights: ReadonlySet<string> = new Set(['OPTIONS /v1/devices/:id/passkey/response']);

/** Routes that need more than the examples of the document. */
const bodies: Readonly<Record<string, unknown>> = { retryFailedDeliveries: {}, restartDevice: {} };

const bodyOf = ({ operation }: Route): unknown =>
  operation?.body === undefined ? undefined : (bodies[operation.id] ?? Object.values(operation.body.examples)[0]);

const call = (client: Api, route: Route, path: string): Promise<Answer> =>
  client.call(route.method, path.replace(/^\/v1/, ''), bodyOf(route));

interface Victim {
  readonly id: number;
  readonly params: Readonly<Record<string, string | number>>;
  /** Texts that nobody else may see. */
  readonly marks: readonly string[];
  state(): Promise<unknown>;
}

const victimOf = async (http: Harness): Promise<Victim> => {
  const url = 'https://victim.example/hook';
  const { device } = (await http.api.post('/devices', { name: 'device-of-the-victim', webhookUrl: url })).body;
  const { id } = device;
  await http.network.link(id, '4915198765432');
  const text = { toNumber: '4915112345678', message: 'words-of-the-victim' };
  const { messageId } = (await http.api.post(`/devices/${id}/messages/text`, text)).body;
  const waits = { ...text, sendAt: new Date(Date.now() + 86_400_000).toISOString() };
  await http.api.post(`/devices/${id}/messages/text`, waits);
  const delivery = (await http.api.get(`/devices/${id}/deliveries`)).body.deliveries[0];
  const key = (await http.api.post('/keys', { name: 'key-of-the-victim' })).body.key;
  await http.api.post('/suppressions', { number: '4915199998888', reason: 'suppression-of-the-victim' });
  const { secret } = (await http.api.get(`/devices/${id}/webhook`)).body.webhook;
  const more = 'https://victim.example/more';
  const wide = (await http.api.post('/webhooks', { url: more, events: ['message.received'] })).body;
  const own = (await http.api.post(`/devices/${id}/webhooks`, { url: more, events: ['message.received'] })).body;
  const { stores, userId } = http;
  const page = { limit: 1000, cursor: null };
  return {
    id,
    params: {
      id,
      messageId,
      deliveryId: delivery.id,
      webhookId: wide.webhook.id,
      eventId: delivery.eventId,
      keyId: key.id,
      chat: '4915112345678',
      person: '4915112345678',
      number: '4915199998888',
      group: '120363000000000001@g.us',
      callId: 'CALL-OF-THE-VICTIM',
      statusId: 'OWN',
      code: 'CodeOfTheVictimsGroup1',
      labelId: '1',
      channel: '120363000000000003@newsletter',
      serverId: '101',
      community: '120363000000000002@g.us',
    },
    marks: [
      'device-of-the-victim',
      'words-of-the-victim',
      'key-of-the-victim',
      'suppression-of-the-victim',
      url,
      more,
      '4915198765432',
      secret,
      wide.secret,
      own.secret,
      key.secret,
    ],
    state: async () => ({
      devices: await stores.devices.list(userId, page),
      messages: await stores.messages.list(id, page),
      events: (await stores.events.listAfter(id, page)).items,
      deliveries: await stores.outbox.list(id, page),
      webhook: await stores.webhooks.primary(id),
      webhooks: await stores.webhooks.list(userId, id),
      accountWide: await stores.webhooks.list(userId, null),
      credentials: await stores.credentials.loadCredentials(id),
      keys: (await stores.users.listKeys(userId)).map(({ lastUsedAt: _used, ...rest }) => rest),
      status: (await http.api.get(`/devices/${id}`)).body.device.status,
    }),
  };
};

const start = () => routesOf(() => startHttp({ adminToken, rateLimit: 1_000_000 }));

test('every route is known to this test: a new one is classified before it is merged', async () => {
  const { result: http, routes } = await start();
  const unknown = routes.filter(({ method, url, operation, refusal }) => {
    if (refusal || isOpen(url) || preflights.has(`${method} ${url}`)) return false;
    if (signIns.has(`${method} ${url}`) || tools.has(`${method} ${url}`)) return false;
    if (operation === undefined) return true;
    if (url.startsWith('/admin/v1/')) return false;
    return !url.startsWith('/v1/devices/:id') && !withoutDevice.has(`${method} ${url}`);
  });
  assert.deepEqual(
    unknown.map(({ method, url }) => `${method} ${url}`),
    [],
  );
  assert.ok(routes.filter(({ operation }) => operation !== undefined).length >= 40);
  await http[Symbol.asyncDispose]();
});

test("another user's device is not found, by any route, and nothing of it changes", async () => {
  const { result: http, routes } = await start();
  const victim = await victimOf(http);
  const attacker = await http.user('attacker');
  const own = (await attacker.api.post('/devices')).body.device.id;
  await http.network.link(own, '4915100000001');
  const before = await victim.state();
  const ofDevices = routes.filter(({ url, operation }) => operation !== undefined && url.startsWith('/v1/devices/:id'));
  assert.ok(ofDevices.length >= 20);
  for (const route of ofDevices) {
    const name = `${route.method} ${route.url}`;
    const theirs = await call(attacker.api, route, filled(route.url, victim.params));
    assert.deepEqual([theirs.status, theirs.body], [404, { status: { code: 404, message: 'Device not found' } }], name);
    const none = await call(attacker.api, route, filled(route.url, { ...victim.params, id: 999_999 }));
    assert.deepEqual([none.status, none.body], [theirs.status, theirs.body], `${name} tells that the device exists`);
    if (!/:(messageId|deliveryId|webhookId|eventId|callId|chat)/.test(route.url)) continue;
    const mixed = await call(attacker.api, route, filled(route.url, { ...victim.params, id: own }));
    assert.equal(mixed.status, 404, `${name} of the attacker's own device`);
  }
  assert.deepEqual(await victim.state(), before);
  await http[Symbol.asyncDispose]();
});

test('routes without a device show and change only what is of the caller', async () => {
  const { result: http, routes } = await start();
  const victim = await victimOf(http);
  const attacker = await http.user('attacker');
  const before = await victim.state();
  for (const name of withoutDevice) {
    const route = routes.find(({ method, url }) => `${method} ${url}` === name);
    assert.ok(route !== undefined, `${name} is gone; take it out of the table`);
    const answer = await call(attacker.api, route, filled(route.url, victim.params));
    // The stream of all devices has a test of its own.
    const expected = /:(keyId|webhookId|number)/.test(name) ? 404 : name === 'GET /v1/events' ? 400 : 200;
    assert.equal(answer.status, expected, name);
    const shown = JSON.stringify(answer.body);
    for (const mark of victim.marks) assert.ok(!shown.includes(mark), `${name} shows ${mark}`);
  }
  assert.equal((await attacker.api.get('/devices')).body.devices.length, 2, 'its own: one made, one adopted');
  assert.deepEqual(await victim.state(), before);
  await http[Symbol.asyncDispose]();
});

test('the pages of one user are no way into those of another', async () => {
  const { result: http } = await start();
  const victim = await victimOf(http);
  await http.api.post('/devices');
  const { nextCursor } = (await http.api.get('/devices?limit=1')).body;
  const attacker = await http.user('attacker');
  const page = await attacker.api.get(`/devices?limit=10&cursor=${nextCursor}`);
  assert.deepEqual(page.body.devices, []);
  const own = (await attacker.api.post('/devices')).body.device.id;
  const after = await attacker.api.get(`/devices/${own}/events?after=${victim.params.eventId}`);
  assert.ok(!JSON.stringify(after.body).includes('words-of-the-victim'));
  await http[Symbol.asyncDispose]();
});

test('the stream of all devices has those of the caller alone', async () => {
  const { result: http } = await start();
  const victim = await victimOf(http);
  const attacker = await http.user('attacker');
  const own = (await attacker.api.post('/devices')).body.device.id;
  const abort = new AbortController();
  const headers = { accept: 'text/event-stream' };
  const response = await attacker.api.fetch('/events', { headers, signal: abort.signal });
  let seen = '';
  const reading = (async () => {
    for await (const chunk of response.body!) seen += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await http.api.post(`/devices/${victim.id}/restart`);
  const { events } = (await http.api.get(`/devices/${victim.id}/events`)).body;
  assert.ok(events.filter(({ type }: { type: string }) => type === 'connection.open').length > 1, 'there is news');
  await http.network.link(own, '4915100000001');
  await eventually('its own event', () => seen.includes('4915100000001'));
  for (const mark of victim.marks) assert.ok(!seen.includes(mark), mark);
  abort.abort();
  await reading;
  await http[Symbol.asyncDispose]();
});

test('every route but the open ones wants a key, and those of the operator want the token', async () => {
  const { result: http, routes } = await start();
  const victim = await victimOf(http);
  const params = { ...victim.params, userId: http.userId, deviceId: victim.id };
  const before = await victim.state();
  const expired = (await http.api.post('/keys', { name: 'x' })).body.key;
  await http.api.delete(`/keys/${expired.id}`);
  for (const route of routes.filter(({ operation }) => operation !== undefined)) {
    const path = filled(route.url, params);
    const admin = path.startsWith('/admin/');
    // Users have no business with the operator's side, and the token none with the users' own.
    for (const key of [null, 'hs_x', expired.secret, admin ? http.api.key : adminToken]) {
      const answer = await api(http.url, key).call(route.method, path, bodyOf(route));
      const name = `${route.method} ${route.url}`;
      assert.deepEqual([answer.status, answer.body.status, answer.body.error.code], [401, 'error', 401], name);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer', name);
    }
  }
  for (const { method, url } of routes.filter((route) => isOpen(route.url) && !route.refusal)) {
    const shown = await (await fetch(`${http.url}${url}`, { method })).text();
    for (const mark of victim.marks) assert.ok(!shown.includes(mark), `${url} shows ${mark}`);
  }
  for (const name of preflights) {
    const [method, url] = name.split(' ') as [string, string];
    const ask = async (id: number): Promise<unknown> => {
      const answer = await fetch(`${http.url.replace(/\/v1$/, '')}${filled(url, { id })}`, { method });
      return [answer.status, await answer.text(), answer.headers.get('access-control-allow-origin')];
    };
    assert.deepEqual(await ask(victim.id), [204, '', '*']);
    assert.deepEqual(await ask(999_999), [204, '', '*']);
  }
  const rest = await victim.state();
  assert.deepEqual(Object.keys(before as object), Object.keys(rest as object));
  assert.equal((await http.api.get(`/devices/${victim.id}`)).body.device.name, 'device-of-the-victim');
  await http[Symbol.asyncDispose]();
});

test("the token's side acts on the user in the path alone", async () => {
  const { result: http } = await start();
  const victim = await victimOf(http);
  const other = await http.user('other');
  const admin = api(`${http.url}/admin/v1`, adminToken);
  const wrong = await admin.delete(`/users/${other.id}/keys/${victim.params.keyId}`);
  assert.equal(wrong.status, 404, 'a key is revoked through its own user only');
  assert.deepEqual((await admin.get(`/users/${other.id}/devices`)).body.devices, []);
  await http[Symbol.asyncDispose]();
});
