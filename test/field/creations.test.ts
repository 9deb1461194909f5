/** `Idempotency-Key` on what a user makes other than in a device (docs/spec/http-interface.md, Idempotency). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { api } from '../support/api.ts';
import { withHttp } from '../http/harness.ts';

const headers = { 'idempotency-key': 'order 4711' };
const reused = [400, 'Idempotency-Key was used before with another request'];

test(
  'a device, a webhook and a key are made once, and a repeat gets the first answer with its secret',
  withHttp(async ({ api: user, linked }) => {
    const id = await linked();
    const hook = { url: 'https://example.com/hook', events: ['message.received'] };
    for (const [path, body, other] of [
      ['/devices', { name: 'Front desk' }, { name: 'Other' }],
      ['/webhooks', hook, { ...hook, ordered: false }],
      [`/devices/${id}/webhooks`, hook, { ...hook, ordered: false }],
      ['/keys', { name: 'ci' }, { name: 'ci', actions: ['read'] }],
    ] as const) {
      const keyed = { headers: { 'idempotency-key': `of ${path}` } };
      const count = async (): Promise<number> =>
        Object.values((await user.get(path)).body).find((value): value is unknown[] => Array.isArray(value))!.length;
      const before = await count();
      const first = await user.post(path, body, keyed);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual((await user.post(path, body, keyed)).body, first.body);
      const refused = await user.post(path, other, keyed);
      assert.deepEqual([refused.status, refused.body.status.message], reused);
      assert.equal(await count(), before + 1, path);
    }
  }),
);

test(
  'one key is for one request: not for another operation, and not for the webhooks of another device',
  withHttp(async ({ api: user, linked }) => {
    const hook = { url: 'https://example.com/hook', events: ['message.received'] };
    assert.equal((await user.post(`/devices/${await linked()}/webhooks`, hook, { headers })).status, 200);
    for (const path of ['/webhooks', `/devices/${await linked()}/webhooks`]) {
      const refused = await user.post(path, hook, { headers });
      assert.deepEqual([refused.status, refused.body.status.message], reused);
    }
  }),
);

test(
  'another API key gets neither the answer nor the secret of the first',
  withHttp(async ({ api: user, url, dataDir }) => {
    const wide = await user.post('/keys', { name: 'ci' }, { headers });
    const made = await user.post('/keys', { name: 'limited', actions: ['admin'] });
    const limited = api(`${url}/v1`, made.body.key.secret);
    const own = await limited.post('/keys', { name: 'ci' }, { headers });
    assert.equal(own.status, 200);
    assert.notEqual(own.body.key.secret, wide.body.key.secret);
    assert.deepEqual(own.body.key.actions, ['admin']);
    const stored = await Promise.all(
      ['handset.db', 'handset.db-wal'].map((name) => readFile(`${dataDir}/${name}`, 'latin1').catch(() => '')),
    );
    assert.ok(stored.join('').length > 0);
    assert.ok(!stored.join('').includes(wide.body.key.secret), 'the secret stands in the file');
  }),
);

test(
  'of two at the same time one is refused, and a key is free again after nothing was made',
  withHttp(async ({ api: user }) => {
    const both = await Promise.all([1, 2].map(() => user.post('/devices', {}, { headers })));
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    const bad = { headers: { 'idempotency-key': 'bad' } };
    assert.equal((await user.post('/webhooks', { url: 'ftp://x', events: ['message.received'] }, bad)).status, 400);
    const good = await user.post('/webhooks', { url: 'https://x.example', events: ['message.received'] }, bad);
    assert.equal(good.status, 200);
  }),
);
