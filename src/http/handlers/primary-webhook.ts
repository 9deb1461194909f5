/** The device's own webhook. */
import { operation } from '../wire/operation.ts';
import { answer, ok } from '../wire/build.ts';
import { testView, WebhookSchema, WebhookTestSchema, webhookView } from '../schemas/webhook.ts';
import { invalidRequest } from '../../errors.ts';

/** `GET /devices/{id}/webhook` (docs/spec/webhooks.md, Webhook): where to, the secret, and how it fares. */
export const getWebhook = operation({
  id: 'getWebhook',
  method: 'GET',
  path: '/devices/{id}/webhook',
  tag: 'Webhooks',
  summary: 'Retrieve the webhook, its secret and its health',
  answer: answer({ webhook: WebhookSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const device = await parts.devices.owned(caller.user.id, deviceId);
    const webhook = await parts.stores.webhooks.get(deviceId);
    return { webhook: webhookView(webhook, device), status: ok(`Webhook of device ${deviceId} retrieved`) };
  },
});

/** `POST /devices/{id}/webhook/rotate-secret` (docs/spec/webhooks.md, Webhook). */
export const overlapMs = 24 * 3_600_000;

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/devices/{id}/webhook/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the webhook secret',
  description: 'For 24 h, deliveries carry two signatures: with the new secret and with the previous one.',
  answer: answer({ webhook: WebhookSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, actor, deviceId }) {
    const device = await parts.devices.owned(caller.user.id, deviceId);
    const webhook = await parts.stores.webhooks.rotateSecret(deviceId, parts.clock.now() + overlapMs, actor);
    return { webhook: webhookView(webhook, device), status: ok(`Webhook secret of device ${deviceId} rotated`) };
  },
});

/** `POST /devices/{id}/webhook/test` (docs/spec/webhooks.md, Webhook): a signed test event, posted at once. */
export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/devices/{id}/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a signed test event',
  description: 'Posts an event of type `test` once, without retries; it is not written to the event log.',
  answer: answer({ test: WebhookTestSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const device = await parts.devices.owned(caller.user.id, deviceId);
    if (device.webhookUrl === null) throw invalidRequest('Device has no webhookUrl; set it before testing the webhook');
    const test = testView(await parts.testWebhook(deviceId));
    return { test, status: ok(`Webhook of device ${deviceId} tested`) };
  },
});
