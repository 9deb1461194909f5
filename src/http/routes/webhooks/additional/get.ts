/** `GET …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): with its secret. */
import { answer, ok } from '../../../wire/build.ts';
import {
  AdditionalWebhookSchema,
  additionalView,
  primaryView,
  secretMember,
} from '../../../schemas/additional-webhook.ts';
import { webhookIn, webhookOperations } from './scope.ts';

export const getAdditionalWebhook = webhookOperations({
  ids: ['getAdditionalWebhook', 'getAccountWebhook'],
  method: 'GET',
  path: '/{webhookId}',
  summary: 'Retrieve one of the webhooks, with its secret',
  answer: answer({ webhook: AdditionalWebhookSchema, ...secretMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, caller, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook !== null)
      return { webhook: additionalView(webhook), secret: webhook.secret, status: ok('Webhook retrieved') };
    const primary = await parts.stores.webhooks.get(deviceId!);
    const device = await parts.devices.owned(caller.user.id, deviceId!);
    return { webhook: primaryView(primary, device), secret: primary.secret, status: ok('Webhook retrieved') };
  },
});
