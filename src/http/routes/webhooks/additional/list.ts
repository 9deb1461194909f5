/** `GET …/webhooks` (docs/spec/webhooks.md, Additional webhooks): oldest first; of a device after its own one. */
import { Type } from 'typebox';
import { answer, ok } from '../../../wire/build.ts';
import { AdditionalWebhookSchema, additionalView, primaryView } from '../../../schemas/additional-webhook.ts';
import { webhookOperations } from './scope.ts';

export const listWebhooks = webhookOperations({
  ids: ['listWebhooks', 'listAccountWebhooks'],
  method: 'GET',
  path: '',
  summary: 'List webhooks',
  description: 'Oldest first. Of a device, `primary` (its `webhookUrl`) comes first. Secrets are not in the list.',
  answer: answer({ webhooks: Type.Array(AdditionalWebhookSchema) }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const { webhooks } = parts.stores;
    const additional = (await webhooks.additional.list(caller.user.id, deviceId)).map(additionalView);
    if (deviceId === null) return { webhooks: additional, status: ok('Webhooks listed') };
    const device = await parts.devices.owned(caller.user.id, deviceId);
    const primary = primaryView(await webhooks.get(deviceId), device);
    return { webhooks: [primary, ...additional], status: ok('Webhooks listed') };
  },
});
