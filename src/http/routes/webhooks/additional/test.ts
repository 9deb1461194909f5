/** `POST …/webhooks/{webhookId}/test` (docs/spec/webhooks.md, Additional webhooks): a signed test event, posted at once. */
import { invalidRequest } from '../../../../errors.ts';
import { answer, ok } from '../../../wire/build.ts';
import { WebhookTestSchema, testView } from '../../../schemas/webhook.ts';
import { webhookIn, webhookOperations } from './scope.ts';

export const testAdditionalWebhook = webhookOperations({
  ids: ['testAdditionalWebhook', 'testAccountWebhook'],
  method: 'POST',
  path: '/{webhookId}/test',
  summary: 'Send a signed test event to a webhook',
  description:
    'Posts an event of type `test` once, without retries; it is not written to the event log. From an account-wide webhook, its `deviceId` is 0.',
  answer: answer({ test: WebhookTestSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook?.enabled === false) throw invalidRequest('The webhook is not enabled; enable it before testing it');
    const test = testView(await parts.testWebhook(deviceId ?? 0, webhook?.id ?? 0));
    return { test, status: ok('Webhook tested') };
  },
});
