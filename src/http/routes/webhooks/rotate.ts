/** `POST /devices/{id}/webhook/rotate-secret` (docs/spec/webhooks.md, Webhook). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { WebhookSchema, webhookView } from '../../schemas/webhook.ts';

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
