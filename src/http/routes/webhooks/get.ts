/** `GET /devices/{id}/webhook` (docs/spec/webhooks.md, Webhook): where to, the secret, and how it fares. */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { WebhookSchema, webhookView } from '../../schemas/webhook.ts';

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
