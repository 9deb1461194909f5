/** The audit log over the wire: who did what, no secret in it, and no way to take an entry out (issue: keys and operations). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { withHttp } from '../http/harness.ts';
import { api } from '../support/api.ts';
import { openTestStore } from '../support/store.ts';

const adminToken = 'an-admin-token-of-some-length-here';

interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string; readonly userId: number | null; readonly keyId: number | null };
  readonly userId: number | null;
  readonly deviceId: number | null;
}

test(
  'names the key or the operator behind every change, and shows no secret',
  withHttp(
    async (http) => {
      const admin = api(`${http.url}/admin/v1`, adminToken);
      const { id } = (await admin.post('/users', { name: 'acme', deviceLimit: 5 })).body.user;
      const key = (await admin.post(`/users/${id}/keys`, { name: 'first' })).body.key;
      const acme = api(http.api.baseUrl, key.secret);
      const url = 'https://example.com/hook?token=secret-in-the-url';
      const device = (await acme.post('/devices', { webhookUrl: url })).body.device.id;
      await http.network.link(device, '4915110000000');
      await acme.put(`/devices/${device}`, { name: 'Phone', webhookUrl: `${url}2` });
      const rotated = (await acme.post(`/devices/${device}/webhook/rotate-secret`)).body.webhook.secret;
      await acme.post(`/devices/${device}/restart`);
      await acme.post(`/devices/${device}/disconnect`);
      const second = (await acme.post('/keys', { name: 'second' })).body.key;
      await acme.put(`/keys/${second.id}`, { expiresAt: '2031-01-01T00:00:00Z' });
      await acme.delete(`/keys/${second.id}`);
      await admin.put(`/devices/${device}`, { subscription_status: 'inactive' });
      await admin.delete(`/devices/${device}`);
      const answer = await admin.get('/audit?limit=1000');
      const entries = (answer.body.entries as Entry[]).toReversed();
      const mine = entries.filter((entry) => entry.userId === id || entry.deviceId === device);
      assert.deepEqual(
        mine.map(({ action, actor }) => [action, actor.kind === 'key' ? actor.keyId : actor.kind]),
        [
          ['user.created', 'operator'],
          ['key.created', 'operator'],
          ['device.created', key.id],
          ['device.updated', key.id],
          ['webhook.updated', key.id],
          ['webhook.secret_rotated', key.id],
          ['device.restarted', key.id],
          ['device.disconnected', key.id],
          ['key.created', key.id],
          ['key.expiry_changed', key.id],
          ['key.revoked', key.id],
          ['device.updated', 'operator'],
          ['device.deleted', 'operator'],
        ],
      );
      const text = JSON.stringify(answer.body);
      for (const secret of [key.secret, second.secret, rotated, 'secret-in-the-url', '4915110000000', adminToken]) {
        assert.ok(!text.includes(secret), secret);
      }
      assert.equal((await acme.get('/audit')).status, 404, 'not for users');
    },
    { adminToken },
  ),
);

test(
  'the operator lists and stops the devices of all users',
  withHttp(
    async (http) => {
      const admin = api(`${http.url}/admin/v1`, adminToken);
      const other = await http.user('other');
      const mine = await http.linked();
      const theirs = (await other.api.post('/devices')).body.device.id;
      const { devices } = (await admin.get('/devices')).body;
      assert.deepEqual(
        devices.map((device: { id: number; userId: number; status: string }) => [
          device.id,
          device.userId,
          device.status,
        ]),
        [
          [mine, http.userId, 'connected'],
          [theirs, other.id, 'qr'],
        ],
      );
      assert.equal(devices[0].qr, undefined, 'and does not get to see their QR codes');
      const stopped = await admin.put(`/devices/${mine}`, { subscription_status: 'inactive' });
      assert.equal(stopped.body.device.status, 'timeout');
      assert.equal((await http.api.get(`/devices/${mine}`)).body.device.subscription_status, 'inactive');
      assert.equal((await admin.delete(`/devices/${theirs}`)).status, 200);
      assert.equal((await other.api.get(`/devices/${theirs}`)).status, 404);
      for (const path of ['/devices/abc', '/devices/99999999999', '/devices/999']) {
        assert.deepEqual((await admin.delete(path)).body, { status: { code: 404, message: 'Device not found' } }, path);
      }
    },
    { adminToken },
  ),
);

test('the database itself refuses to change or to delete an entry', async () => {
  const store = await openTestStore();
  await store.stores.users.create('ann', 1, 0);
  const database = new DatabaseSync(join(store.dataDir, 'handset.db'));
  for (const statement of ["update audit set action = 'x'", 'delete from audit', 'delete from audit where id = 1']) {
    assert.throws(() => database.exec(statement), /audit is append-only/, statement);
  }
  assert.equal(database.prepare('select count(*) as count from audit').get()!.count, 1);
  database.close();
  await store.close();
});
