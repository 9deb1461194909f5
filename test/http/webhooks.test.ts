/** Webhook and deliveries, as callers see them (docs/spec/webhooks.md, Webhook). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withHttp } from './harness.ts';

test(
  'the webhook shows its secret and health; rotation keeps the former one for 24 h',
  withHttp(async ({ api, device }) => {
    const id = await device();
    const path = `/devices/${id}/webhook`;
    const none = (await api.get(path)).body.webhook;
    assert.deepEqual([none.url, none.health], [null, 'disabled']);
    await api.put(`/devices/${id}`, { webhookUrl: 'https://example.com/hook', webhookEvents: ['call'] });
    const { webhook, status } = (await api.get(path)).body;
    assert.deepEqual([webhook.url, webhook.events, webhook.health], ['https://example.com/hook', ['call'], 'healthy']);
    assert.match(webhook.secret, /^whsec_/);
    assert.equal(webhook.previousSecretUntil, null);
    assert.equal(status.code, 200);
    const rotated = (await api.post(`${path}/rotate-secret`)).body.webhook;
    assert.notEqual(rotated.secret, webhook.secret);
    const overlap = Date.parse(rotated.previousSecretUntil) - Date.now();
    assert.ok(overlap > 86_390_000 && overlap <= 86_400_000);
    assert.equal((await api.get(path)).body.webhook.secret, rotated.secret);
  }),
);

test(
  'a test tells what the endpoint said; without a URL it is 400',
  withHttp(async (http) => {
    const id = await http.device();
    const path = `/devices/${id}/webhook/test`;
    assert.equal((await http.api.post(path)).status, 400);
    await http.api.put(`/devices/${id}`, { webhookUrl: 'https://example.com/hook' });
    assert.deepEqual((await http.api.post(path)).body.test, {
      delivered: true,
      status: 204,
      durationMs: 12,
      error: null,
    });
    http.webhookTest = { status: null, durationMs: 5, error: 'connection refused' };
    assert.deepEqual((await http.api.post(path)).body.test, {
      delivered: false,
      status: null,
      durationMs: 5,
      error: 'connection refused',
    });
  }),
);

test(
  'deliveries are listed by state and retried, one or all since a time',
  withHttp(async ({ api, stores, wakes }) => {
    const created = await api.post('/devices', { webhookUrl: 'https://example.com/hook' });
    const { id } = created.body.device;
    const path = `/devices/${id}/deliveries`;
    const { deliveries } = (await api.get(path)).body;
    assert.equal(deliveries.length, 1);
    const [{ id: deliveryId, eventType, state }] = deliveries;
    assert.match(deliveryId, /^dlv_/);
    assert.deepEqual([eventType, state], ['connection.auth', 'pending']);
    assert.equal((await api.get(`${path}?state=failed`)).body.deliveries.length, 0);

    await stores.outbox.record([
      {
        id: deliveryId,
        deviceId: id,
        state: 'failed',
        attempts: 13,
        nextAttemptAt: null,
        at: Date.now(),
        status: 500,
        error: 'HTTP 500',
        durationMs: 7,
        response: 'no',
      },
    ]);
    const { attempts, nextCursor } = (await api.get(`${path}/${deliveryId}/attempts`)).body;
    assert.deepEqual(attempts, [{ at: attempts[0].at, status: 500, ms: 7, error: 'HTTP 500', answer: 'no' }]);
    assert.equal(nextCursor, null);
    assert.equal((await api.get(`${path}/dlv_x/attempts`)).status, 404);
    assert.equal((await api.get(`${path}/${deliveryId}/attempts?limit=0`)).status, 400);
    const failed = (await api.get(`${path}?state=failed`)).body.deliveries[0];
    assert.deepEqual(
      [failed.attempts, failed.lastStatus, failed.lastResponse, failed.nextAttemptAt],
      [13, 500, 'no', null],
    );
    assert.equal((await api.get(`/devices/${id}/webhook`)).body.webhook.health, 'failing');

    const later = await api.post(`${path}/retry`, { since: '2099-01-01T00:00:00+02:00' });
    assert.deepEqual([later.body.retried, wakes.count], [0, 0]);
    const since = await api.post(`${path}/retry`, { since: '2020-01-01T00:00:00Z' });
    assert.deepEqual([since.body.retried, wakes.count], [1, 1]);
    assert.equal((await api.post(`${path}/retry`)).body.retried, 0);
    const bad = await api.post(`${path}/retry`, { since: 'yesterday' });
    assert.equal(bad.body.status.message, 'since must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z');

    const one = await api.post(`${path}/${deliveryId}/retry`);
    assert.deepEqual([one.body.delivery.state, one.body.delivery.id, wakes.count], ['pending', deliveryId, 2]);
    const none = await api.post(`${path}/dlv_nope/retry`);
    assert.deepEqual([none.status, none.body.status.message], [404, 'Delivery not found']);
  }),
);
