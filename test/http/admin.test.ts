/** The operator's side (docs/spec/users.md, Operator). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { api } from '../support/api.ts';
import { withHttp } from './harness.ts';

const adminToken = 'an-admin-token-of-some-length';

test(
  'users and their keys, from the first to the last',
  withHttp(
    async (http) => {
      const admin = api(`${http.url}/admin/v1`, adminToken);
      const made = await admin.post('/users', { name: 'acme', deviceLimit: 1 });
      assert.equal(made.status, 200);
      const { id } = made.body.user;
      assert.deepEqual(Object.keys(made.body.user).sort(), [
        'activeDevices',
        'createdAt',
        'deviceLimit',
        'id',
        'name',
        'rateLimit',
      ]);
      assert.equal((await admin.post('/users', { name: 'acme', deviceLimit: 1 })).status, 409);
      const { secret, id: keyId } = (await admin.post(`/users/${id}/keys`, { name: 'first' })).body.key;
      const acme = api(http.api.baseUrl, secret);
      const device = (await acme.post('/devices')).body.device.id;
      assert.equal((await acme.post('/devices')).status, 403);
      assert.equal((await admin.put(`/users/${id}`, { deviceLimit: 2 })).body.user.deviceLimit, 2);
      assert.equal((await acme.post('/devices')).status, 200, 'the new limit holds at once');
      assert.equal((await admin.get(`/users/${id}`)).body.user.activeDevices, 2);
      const page = (await admin.get(`/users/${id}/devices?limit=1`)).body;
      assert.deepEqual([page.devices[0].id, typeof page.nextCursor], [device, 'string']);
      assert.equal((await admin.get('/users')).body.users.length, 2);
      assert.equal((await admin.get(`/users/${id}/keys`)).body.keys[0].name, 'first');
      assert.equal((await admin.delete(`/users/${id}`)).status, 409);
      for (const { id: own } of (await acme.get('/devices')).body.devices) await acme.delete(`/devices/${own}`);
      assert.equal((await admin.delete(`/users/${id}/keys/${keyId}`)).status, 200);
      assert.equal((await acme.get('/me')).status, 401);
      assert.deepEqual((await admin.delete(`/users/${id}`)).body, {
        status: { code: 200, message: `User ${id} deleted` },
      });
      assert.deepEqual((await admin.get(`/users/${id}`)).body, { status: { code: 404, message: 'User not found' } });
    },
    { adminToken },
  ),
);

test(
  'only the token opens it, and it opens nothing else',
  withHttp(
    async (http) => {
      for (const key of [null, http.api.key, `${adminToken}x`, adminToken.slice(1)]) {
        const answer = await api(`${http.url}/admin/v1`, key).get('/users');
        assert.deepEqual([answer.status, answer.body.error.code], [401, 401]);
      }
      assert.equal((await api(http.api.baseUrl, adminToken).get('/devices')).status, 401);
      const admin = api(`${http.url}/admin/v1`, adminToken);
      assert.equal((await admin.get('/nothing')).status, 404);
      assert.equal((await admin.call('PATCH', '/users')).headers.get('allow'), 'GET, HEAD, POST');
      for (const path of ['/users/abc', '/users/0', '/users/999', '/users/999/keys', '/users/999/devices']) {
        assert.equal((await admin.get(path)).status, 404, path);
      }
      const rules = [
        [{ name: 'x' }, 'deviceLimit is required'],
        [{ name: 'x', deviceLimit: -1 }, 'deviceLimit must be a whole number from 0 to 1,000,000'],
        [{ name: 'x', deviceLimit: 1, limit: 2 }, 'Unknown field "limit"; did you mean "deviceLimit"?'],
      ] as const;
      for (const [body, message] of rules) {
        assert.equal((await admin.post('/users', body)).body.status.message, message);
      }
      const document = (await http.api.get('/openapi.json')).body;
      assert.ok(document.paths['/admin/v1/users/{userId}/keys'].post);
      assert.equal((await new Validator().validate(structuredClone(document))).valid, true);
    },
    { adminToken },
  ),
);

test(
  'without a token there is no such thing',
  withHttp(async (http) => {
    assert.equal((await api(`${http.url}/admin/v1`, '').get('/users')).status, 404);
    assert.equal((await http.api.get('/openapi.json')).body.paths['/admin/v1/users'], undefined);
  }),
);

test(
  'one process that serves alone has no nodes to list',
  withHttp(
    async (http) => {
      const { status, body } = await api(`${http.url}/admin/v1`, adminToken).get('/nodes');
      assert.deepEqual([status, body.nodes], [200, []]);
    },
    { adminToken },
  ),
);
