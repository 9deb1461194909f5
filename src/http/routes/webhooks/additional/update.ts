/** `PUT …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): changes only the members given. */
import { assertKinds, settleSecondsFor } from '../../../../domain/webhooks/additional.ts';
import { invalidRequest } from '../../../../errors.ts';
import { answer, ok } from '../../../wire/build.ts';
import {
  AdditionalWebhookSchema,
  UpdateWebhookSchema,
  additionalView,
  patchIn,
} from '../../../schemas/additional-webhook.ts';
import { webhookIn, webhookOperations } from './scope.ts';

export const updateWebhook = webhookOperations({
  ids: ['updateWebhook', 'updateAccountWebhook'],
  method: 'PUT',
  path: '/{webhookId}',
  summary: 'Update a webhook',
  description:
    'Changes only the given fields; `headers` replaces all headers. `url` and `enabled: true` enable a webhook that a 410 has stopped. `primary` is changed by `webhookUrl` and `webhookEvents` of the device.',
  body: {
    schema: UpdateWebhookSchema,
    examples: { stop: { enabled: false }, only: { chats: { only: ['4915112345678'] } } },
  },
  answer: answer({ webhook: AdditionalWebhookSchema }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run(call) {
    const { parts, actor, params, deviceId, body } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook === null)
      throw invalidRequest(
        `primary is the device's own webhook: change it by webhookUrl and webhookEvents of PUT /devices/${deviceId}`,
      );
    const patch = patchIn(body);
    assertKinds(deviceId, patch.events ?? []);
    if (patch.url !== undefined) await parts.outbound.check(patch.url, 'url');
    const { events = webhook.events, settleSeconds = webhook.settleSeconds } = patch;
    const settled = { settleSeconds: settleSecondsFor(events, settleSeconds) };
    const isEmpty = Object.keys(patch).length === 0;
    const { additional } = parts.stores.webhooks;
    const after = isEmpty ? webhook : await additional.update(webhook, { ...patch, ...settled }, actor);
    // Waiting deliveries go out as soon as there is somewhere to post them to again.
    parts.wakeDispatcher();
    return { webhook: additionalView(after), status: ok('Webhook updated') };
  },
});
