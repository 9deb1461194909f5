/** `POST …/webhooks` (docs/spec/webhooks.md, Additional webhooks). */
import { assertKinds } from '../../../../domain/webhooks/additional.ts';
import { answer, ok } from '../../../wire/build.ts';
import {
  AdditionalWebhookSchema,
  CreateWebhookSchema,
  additionalView,
  secretMember,
  wishIn,
} from '../../../schemas/additional-webhook.ts';
import { webhookOperations } from './scope.ts';

export const createWebhook = webhookOperations({
  ids: ['createWebhook', 'createAccountWebhook'],
  method: 'POST',
  path: '',
  summary: 'Create a webhook',
  description:
    'At most 100 for a device, and 100 for all devices of the user. It gets the events from now on; account-wide ones also those of devices that are created later.',
  body: {
    schema: CreateWebhookSchema,
    examples: {
      messages: { url: 'https://example.com/hook', events: ['message.received'] },
      bot: {
        url: 'https://example.com/bot',
        events: ['message.received'],
        chats: { except: ['120363000000000001@g.us'] },
        headers: { authorization: 'Bearer of-the-receiver' },
        ordered: false,
      },
    },
  },
  answer: answer({ webhook: AdditionalWebhookSchema, ...secretMember }),
  errors: [400, 401, 404, 408, 409, 413, 429, 500],
  async run({ parts, caller, actor, deviceId, body }) {
    const wish = wishIn(body);
    assertKinds(deviceId, wish.events);
    await parts.outbound.check(wish.url, 'url');
    const webhook = await parts.stores.webhooks.additional.create(caller.user.id, deviceId, wish, actor);
    return { webhook: additionalView(webhook), secret: webhook.secret, status: ok('Webhook created') };
  },
});
