/** Webhook and deliveries, as callers see them (docs/spec/webhooks.md, Webhook). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seqOf } from '../../src/store/base/ids.ts';
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
        seq: seqOf('dlv', id, deliveryId)!,
        deviceId: id,
        webhookId: (await stores.webhooks.primary(id)).id,
        isPrimary: true,
        state: 'failed',
        attempts: 13,
        nextAttemptAt: null,
        at: Date.now(),
        status: 500,
        error: 'HTTP 500',
        durationMs: 7,
        response: 'no',
        headers: { server: 'nginx' },
      },
    ]);
    const { attempts, nextCursor } = (await api.get(`${path}/${deliveryId}/attempts`)).body;
    assert.deepEqual(attempts, [
      { at: attempts[0].at, status: 500, ms: 7, error: 'HTTP 500', answer: 'no', headers: { server: 'nginx' } },
    ]);
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

test(
  'webhooks of a device and of all: made, shown without their headers, changed, rotated, tested and deleted',
  withHttp(async ({ api, device }) => {
    const id = await device();
    for (const base of [`/devices/${id}/webhooks`, '/webhooks']) {
      const deviceId = base === '/webhooks' ? null : id;
      const given = {
        url: 'https://example.com/more',
        events: ['message.received', 'group.updated', 'message.received'],
        chats: { only: ['4915112345678', '98765432101234@lid'] },
        headers: { Authorization: 'Bearer sesame' },
      };
      const { webhook, secret } = (await api.post(base, given)).body;
      assert.match(webhook.id, /^whk_[0-9a-v]{8}$/);
      assert.match(secret, /^whsec_/);
      assert.deepEqual(webhook, {
        id: webhook.id,
        deviceId,
        url: given.url,
        events: ['message.received', 'group.updated'],
        chats: { only: ['4915112345678@s.whatsapp.net', '98765432101234@lid'] },
        headerNames: ['authorization'],
        enabled: true,
        ordered: true,
        settleSeconds: null,
        createdAt: webhook.createdAt,
        previousSecretUntil: null,
        health: 'healthy',
        failingSince: null,
        disabledAt: null,
        lastSuccessAt: null,
      });
      const path = `${base}/${webhook.id}`;
      assert.deepEqual((await api.get(path)).body, {
        webhook,
        secret,
        status: { code: 200, message: 'Webhook retrieved' },
      });
      const { webhooks } = (await api.get(base)).body;
      assert.deepEqual(webhooks.at(-1), webhook);
      assert.deepEqual(webhooks.length, deviceId === null ? 1 : 2);
      const changed = (await api.put(path, { chats: null, ordered: false, enabled: false })).body.webhook;
      assert.deepEqual([changed.chats, changed.ordered, changed.health], [null, false, 'disabled']);
      assert.equal((await api.post(`${path}/test`)).status, 400, 'it is not enabled');
      await api.put(path, { enabled: true });
      assert.equal((await api.post(`${path}/test`)).body.test.delivered, true);
      const rotated = (await api.post(`${path}/rotate-secret`)).body;
      assert.notEqual(rotated.secret, secret);
      assert.notEqual(rotated.webhook.previousSecretUntil, null);
      assert.deepEqual((await api.get(`${path}/deliveries`)).body.deliveries, []);
      assert.deepEqual((await api.post(`${path}/deliveries/retry`)).body.retried, 0);
      assert.equal((await api.delete(path)).status, 200);
      assert.equal((await api.get(path)).status, 404);
    }
  }),
);

test(
  'the own webhook is primary: listed and readable, and changed by the fields of the device',
  withHttp(async ({ api, device }) => {
    const id = await device();
    const base = `/devices/${id}/webhooks`;
    await api.put(`/devices/${id}`, { webhookUrl: 'https://example.com/hook' });
    const [primary] = (await api.get(base)).body.webhooks;
    assert.deepEqual([primary.id, primary.url, primary.enabled], ['primary', 'https://example.com/hook', true]);
    const read = (await api.get(`${base}/primary`)).body;
    assert.equal(read.secret, (await api.get(`/devices/${id}/webhook`)).body.webhook.secret);
    assert.equal((await api.post(`${base}/primary/test`)).body.test.delivered, true);
    assert.notEqual((await api.post(`${base}/primary/rotate-secret`)).body.secret, read.secret);
    const own = (await api.get(`/devices/${id}/deliveries`)).body.deliveries;
    assert.deepEqual((await api.get(`${base}/primary/deliveries`)).body.deliveries, own);
    assert.match((await api.put(`${base}/primary`, { enabled: false })).body.status.message, /PUT \/devices\//);
    assert.match((await api.delete(`${base}/primary`)).body.status.message, /webhookUrl to null/);
    assert.equal((await api.get('/webhooks/primary')).status, 404);
  }),
);

test(
  'what is wrong with a webhook is named',
  withHttp(async ({ api, device, user }) => {
    const id = await device();
    const base = `/devices/${id}/webhooks`;
    const good = { url: 'https://example.com/more', events: ['call'] };
    const refused = async (body: unknown, words: RegExp): Promise<void> => {
      const answer = await api.post(base, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.status.message, words);
    };
    await refused({ ...good, url: 'ftp://example.com' }, /^url must be/);
    await refused({ events: ['call'] }, /url/);
    await refused(
      { ...good, events: ['message.recieved'] },
      /^events has an unknown event kind "message.recieved"; the kinds are .*message\.received/,
    );
    await refused({ ...good, events: [] }, /^events must have at least one/);
    await refused({ ...good, chats: { only: ['4915112345678'], except: ['4915112345679'] } }, /one of only and except/);
    await refused({ ...good, chats: {} }, /one of only and except/);
    await refused({ ...good, chats: { only: ['Ann'] } }, /^chats\.only must be/);
    for (const name of ['Host', 'content-length', 'Webhook-Id', 'connection', 'Transfer-Encoding'])
      await refused({ ...good, headers: { [name]: 'x' } }, new RegExp(`headers must not have ${name.toLowerCase()}`));
    await refused({ ...good, headers: { 'x-a': 'a\r\nx-b: b' } }, /^headers\.x-a must be .* without line breaks/);
    await refused({ ...good, headers: { 'x a': 'b' } }, /^headers must have names/);
    await refused({ ...good, headers: { 'x-a': 'a', 'X-A': 'b' } }, /^headers has x-a twice/);
    await refused({ ...good, settleSeconds: 0 }, /^settleSeconds must be a whole number of seconds from 1 to 60/);
    await refused({ ...good, settleSeconds: 61 }, /^settleSeconds/);
    await refused({ ...good, secret: 'x' }, /secret/);
    const { webhook } = (await api.post(base, { ...good, headers: { constructor: 'x' } })).body;
    assert.deepEqual(webhook.headerNames, ['constructor']);
    const { webhook: wide } = (await api.post('/webhooks', good)).body;
    const stranger = await user('stranger');
    assert.equal((await stranger.api.get(`/webhooks/${wide.id}`)).status, 404);
    assert.equal((await api.get(`/webhooks/${webhook.id}`)).status, 404, 'it is of a device');
    assert.equal((await api.get(`${base}/${wide.id}`)).status, 404, 'it is of the account');
    assert.equal((await api.put(`${base}/whk_x`, {})).status, 404);
    for (let n = 1; n < 100; n += 1) await api.post(base, good);
    const more = await api.post(base, good);
    assert.deepEqual([more.status, /100 webhooks/.test(more.body.status.message)], [409, true]);
  }),
);
