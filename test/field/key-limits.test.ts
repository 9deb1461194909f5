/** Keys with limits: every operation, list and stream obeys, and a key learns nothing of other devices (docs/spec/users.md, API keys). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type KeyAction, keyActions } from '../../src/domain/user.ts';
import { operations } from '../../src/http/handlers/operations.ts';
import { type Api, api } from '../support/api.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';

let installation: Installation;
let [mine, other] = [0, 0];

const keyFor = async (
  limits: object,
  by: Api = installation.api,
): Promise<{ client: Api; id: number; secret: string }> => {
  const { status, body } = await by.post('/keys', { name: 'limited', ...limits });
  assert.equal(status, 200, JSON.stringify(body));
  return { client: api(`${installation.handset.url}/v1`, body.key.secret), id: body.key.id, secret: body.key.secret };
};

before(async () => {
  installation = await startInstallation();
  await addPhones(installation);
  mine = await linkDevice(installation, ada, { name: 'Mine' });
  other = (await installation.api.post('/devices', { name: 'Other' })).body.device.id;
});
after(() => installation[Symbol.asyncDispose]());

/** With values that name nothing, so that nothing is done where it is permitted. */
const pathOf = (path: string, device: number): string =>
  path
    .replace('{id}', String(device))
    .replace('{number}', '4915559999999')
    .replaceAll(/\{(\w+)\}/g, '999999');

/** These act without a body; they are tried by hand below. */
const actsAtOnce = new Set([
  'restartDevice',
  'disconnectDevice',
  'deleteDevice',
  'releaseDevice',
  'createDevice',
  'streamEvents',
  'confirmPasskey',
]);

test('every operation but two needs an action', () => {
  assert.deepEqual(
    operations.filter(({ action }) => action === 'any').map(({ id }) => id),
    ['getMe', 'getOpenApi'],
  );
});

for (const action of keyActions) {
  test(`a key for ${action} is refused everything else, in words`, async () => {
    const { client } = await keyFor({ actions: [action] });
    for (const op of operations) {
      if (op.action === action && actsAtOnce.has(op.id)) continue;
      const { status, body } = await client.call(
        op.method,
        pathOf(op.path, mine),
        op.body === undefined ? undefined : { x: 1 },
      );
      const permitted = op.action === 'any' || op.action === action;
      if (permitted) assert.notEqual(status, 403, `${op.id}: ${JSON.stringify(body)}`);
      else {
        assert.equal(status, 403, `${op.id}: ${JSON.stringify(body)}`);
        assert.match(body.status.message, new RegExp(`^This key may not do this: it needs the action ${op.action}$`));
      }
    }
  });
}

test('outside of its devices there is nothing for a key', async () => {
  const { client } = await keyFor({ devices: [mine] });
  for (const op of operations) {
    if (!op.path.includes('{id}')) continue;
    const { status } = await client.call(
      op.method,
      pathOf(op.path, other),
      op.body === undefined ? undefined : { x: 1 },
    );
    assert.equal(status, 404, op.id);
  }
  const names = (await client.get('/devices')).body.devices.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['Mine']);
  const page = (await client.get('/devices?limit=1')).body;
  assert.deepEqual([page.devices.length, page.nextCursor], [1, null]);
  const accounts = (await client.get('/accounts')).body.accounts;
  assert.deepEqual(
    accounts.map(({ deviceId }: { deviceId: number }) => deviceId),
    [mine],
  );
  const me = (await client.get('/me')).body;
  assert.deepEqual([me.user.activeDevices, me.key.devices, me.key.actions], [1, [mine], null]);
  for (const [method, path] of [
    ['POST', '/devices'],
    ['POST', '/devices/adopt'],
    ['GET', '/webhooks'],
    ['POST', '/webhooks'],
  ] as const) {
    const { status, body } = await client.call(method, path, method === 'POST' ? {} : undefined);
    assert.equal(status, 403, `${method} ${path}`);
    assert.match(body.status.message, /for some devices only/);
  }
  assert.equal(
    (
      await fetch(`${installation.handset.url}/sandbox/phones`, {
        headers: { authorization: `Bearer ${(await keyFor({ devices: [mine] })).secret}` },
      })
    ).status,
    403,
  );
});

test('usage counts its devices only', async () => {
  const send = { toNumber: bob, message: 'counted' };
  assert.equal((await installation.api.post(`/devices/${mine}/messages/text`, send)).status, 200);
  const sent = async (client: Api): Promise<number> =>
    (await client.get('/usage')).body.usage.reduce((sum: number, each: { sent: number }) => sum + each.sent, 0);
  const [own, others] = [await keyFor({ devices: [mine] }), await keyFor({ devices: [other] })];
  assert.deepEqual([await sent(installation.api), await sent(own.client), await sent(others.client)], [1, 1, 0]);
});

test('a key makes, sees and changes no key that is wider than itself', async () => {
  const maker = await keyFor({ devices: [mine], actions: ['read', 'admin'] });
  for (const limits of [{ devices: null }, { devices: [mine, other] }, { actions: ['send'] }, { actions: null }]) {
    const { status, body } = await maker.client.post('/keys', { name: 'wider', ...limits });
    assert.equal(status, 403, JSON.stringify(limits));
    assert.match(body.status.message, /more than it has itself/);
  }
  const made = await keyFor({ actions: ['read'] }, maker.client);
  const { keys } = (await maker.client.get('/keys')).body;
  const ids = keys.map(({ id }: { id: number }) => id);
  assert.deepEqual(new Set(ids), new Set([maker.id, made.id]));
  const whole = await keyFor({});
  assert.equal((await maker.client.put(`/keys/${whole.id}`, { expiresAt: null })).status, 404);
  assert.equal((await maker.client.delete(`/keys/${whole.id}`)).status, 404);
  assert.equal((await maker.client.put(`/keys/${made.id}`, { actions: null })).status, 403);
  assert.equal((await maker.client.put(`/keys/${made.id}`, { actions: ['read', 'admin'] })).status, 200);
  assert.equal((await maker.client.delete(`/keys/${made.id}`)).status, 200);
});

test('limits that name nothing are refused; changed ones hold at once, also for streams', async () => {
  for (const limits of [
    { devices: [999_999] },
    { devices: [] },
    { devices: [mine, mine] },
    { devices: '1' },
    { actions: ['write'] },
    { actions: [] },
    { devices: Array.from({ length: 1_001 }, (_, n) => n + 1) },
  ])
    assert.equal((await installation.api.post('/keys', { name: 'x', ...limits })).status, 400, JSON.stringify(limits));
  for (const [actions, words] of [
    [['write'], 'actions has an unknown value "write"; the values are read, send, manage, admin'],
    [[], 'actions must be an array of read, send, manage and admin, or null'],
  ] as const)
    assert.equal((await installation.api.post('/keys', { name: 'x', actions })).body.status.message, words);
  const key = await keyFor({});
  const stream = await fetch(`${installation.handset.url}/v1/events`, {
    headers: { authorization: `Bearer ${key.secret}`, accept: 'text/event-stream' },
  });
  const reader = stream.body!.getReader();
  await reader.read();
  assert.equal((await installation.api.put(`/keys/${key.id}`, { devices: [mine], actions: ['read'] })).status, 200);
  assert.equal((await key.client.get(`/devices/${other}`)).status, 404);
  assert.equal((await key.client.put(`/devices/${mine}`, {})).status, 403);
  await installation.api.put(`/devices/${other}`, { name: 'Renamed' });
  await installation.phones.write(bob, { to: ada, text: 'ends the stream' });
  await eventually('the end of the stream', async () => (await reader.read()).done);
  assert.equal((await installation.api.put(`/keys/${key.id}`, { devices: null, actions: null })).status, 200);
  assert.equal((await key.client.get(`/devices/${other}`)).status, 200);
});

test('the stream of a key for some devices has the events of those', async () => {
  const { secret } = await keyFor({ devices: [other], actions: ['read'] satisfies readonly KeyAction[] });
  const stream = await fetch(`${installation.handset.url}/v1/events`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
  });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  await installation.phones.write(bob, { to: ada, text: 'not for this key' });
  await eventually('the event', async () =>
    JSON.stringify((await installation.api.get(`/devices/${mine}/events?limit=1000`)).body).includes(
      'not for this key',
    ),
  );
  await installation.api.post(`/devices/${other}/restart`);
  while (!text.includes('connection.')) text += (await reader.read()).value!;
  assert.doesNotMatch(text, /message\.received/);
  await reader.cancel();
});
