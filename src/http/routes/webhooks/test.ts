/** `POST /devices/{id}/webhook/test` (docs/spec/webhooks.md, Webhook): a signed test event, posted at once. */
import { invalidRequest } from '../../../errors.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { WebhookTestSchema, testView } from '../../schemas/webhook.ts';

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
