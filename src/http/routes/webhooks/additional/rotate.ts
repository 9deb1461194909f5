/** `POST …/webhooks/{webhookId}/rotate-secret` (docs/spec/webhooks.md, Additional webhooks). */
import { answer, ok } from '../../../wire/build.ts';
import {
  AdditionalWebhookSchema,
  additionalView,
  primaryView,
  secretMember,
} from '../../../schemas/additional-webhook.ts';
import { overlapMs } from '../rotate.ts';
import { webhookIn, webhookOperations } from './scope.ts';

export const rotateAdditionalSecret = webhookOperations({
  ids: ['rotateAdditionalWebhookSecret', 'rotateAccountWebhookSecret'],
  method: 'POST',
  path: '/{webhookId}/rotate-secret',
  summary: 'Rotate the secret of a webhook',
  description: 'For 24 h, deliveries carry two signatures: with the new secret and with the previous one.',
  answer: answer({ webhook: AdditionalWebhookSchema, ...secretMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, caller, actor, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const { webhooks } = parts.stores;
    const until = parts.clock.now() + overlapMs;
    const status = ok('Webhook secret rotated');
    if (webhook !== null) {
      const after = await webhooks.additional.rotateSecret(webhook, until, actor);
      return { webhook: additionalView(after), secret: after.secret, status };
    }
    const device = await parts.devices.owned(caller.user.id, deviceId!);
    const primary = await webhooks.rotateSecret(deviceId!, until, actor);
    return { webhook: primaryView(primary, device), secret: primary.secret, status };
  },
});
