/** `DELETE …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): with its deliveries. */
import { invalidRequest } from '../../../../errors.ts';
import { answer, ok } from '../../../wire/build.ts';
import { webhookIn, webhookOperations } from './scope.ts';

export const deleteWebhook = webhookOperations({
  ids: ['deleteWebhook', 'deleteAccountWebhook'],
  method: 'DELETE',
  path: '/{webhookId}',
  summary: 'Delete a webhook',
  description: 'With its deliveries, also those that are pending. The events stay in the log.',
  answer: answer({}),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, actor, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook === null)
      throw invalidRequest(
        `primary is the device's own webhook: set webhookUrl to null by PUT /devices/${deviceId} to stop it`,
      );
    await parts.stores.webhooks.additional.delete(webhook, actor);
    return { status: ok('Webhook deleted') };
  },
});
