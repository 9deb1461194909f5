/** Webhooks to programs on the same machine: with a sandbox they are posted, and other private addresses stay refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAddressPolicy } from '../../src/outbound/address.ts';
import { checkUrl } from '../../src/outbound/url.ts';
import { startInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';

const hint = /"handset listen"; the operator allows hosts with HANDSET_ALLOWED_PRIVATE_HOSTS$/;

test('with a sandbox a webhook on this machine is posted to', async () => {
  await using installation = await startInstallation({ HANDSET_ALLOW_PRIVATE_URLS: 'false' });
  await using receiver = await startReceiver();
  for (const host of ['localhost', '127.0.0.1']) {
    const webhookUrl = `http://${host}:${new URL(receiver.url).port}/hook`;
    const { status, body } = await installation.api.post('/devices', { webhookUrl });
    assert.equal(status, 200, JSON.stringify(body));
    const tested = await installation.api.post(`/devices/${body.device.id}/webhook/test`);
    assert.equal(tested.status, 200, JSON.stringify(tested.body));
    assert.equal(tested.body.test.delivered, true, JSON.stringify(tested.body));
  }
  for (const webhookUrl of ['http://10.0.0.1/hook', 'http://169.254.169.254/']) {
    const { status, body } = await installation.api.post('/devices', { webhookUrl });
    assert.equal(status, 400);
    assert.match(body.status.message, hint);
  }
});

test('without one, the error names what to do', () => {
  const strict = makeAddressPolicy(false, []);
  for (const url of ['http://localhost:3000/hook', 'http://127.0.0.1:3000/hook', 'http://[::1]/']) {
    assert.throws(() => checkUrl(url, 'webhookUrl', strict), hint);
    assert.throws(() => checkUrl(url, 'mediaUrl', strict), /(?:address|host)$/);
  }
});
