/** Webhooks of a device, the primary one also below `/devices/{id}/webhook`, and of the account. */
import { creationHeader } from './sent.ts';
import { answer } from '../build.ts';
import {
  PrimaryWebhookSchema,
  WebhookTestSchema,
  WebhookSchema,
  CreateWebhookSchema,
  secretMember,
  UpdateWebhookSchema,
} from '../schemas/webhook.ts';
import { changes, declare, declareOfWebhooks, destroys, reads } from '../operation.ts';
import { Type } from 'typebox';

const overlapDescription = 'For 24 h, deliveries carry two signatures: with the new secret and with the previous one.';

export const getPrimary = declare({
  id: 'getWebhook',
  path: '/devices/{id}/webhook',
  command: null,
  client: 'webhook.get',
  ...reads('0.1.0', 'manage'),
  tag: 'Webhooks',
  summary: 'Retrieve the webhook, its secret and its health',
  description: 'Of the primary webhook, which `webhookUrl` of the device sets. Verify deliveries with the secret.',
  answer: answer({ webhook: PrimaryWebhookSchema }),
});

export const rotatePrimarySecret = declare({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/devices/{id}/webhook/rotate-secret',
  command: null,
  client: 'webhook.rotateSecret',
  ...changes('0.1.0', 'manage'),
  tag: 'Webhooks',
  summary: 'Rotate the webhook secret',
  description: overlapDescription,
  answer: answer({ webhook: PrimaryWebhookSchema }),
});

export const testPrimary = declare({
  id: 'testWebhook',
  method: 'POST',
  path: '/devices/{id}/webhook/test',
  command: null,
  client: 'webhook.test',
  ...changes('0.1.0', 'manage'),
  tag: 'Webhooks',
  summary: 'Send a signed test event',
  description: 'Posts an event of type `test` once, without retries; it is not written to the event log.',
  answer: answer({ test: WebhookTestSchema }),
  errors: ['noWebhookUrl'],
});

export const listWebhooks = declareOfWebhooks({
  ids: { device: 'listWebhooks', account: 'listAccountWebhooks' },
  path: '',
  command: 'webhook list <device>',
  client: 'list',
  tool: {
    name: 'list_webhooks',
    description: 'Webhooks with what they get and their health; "primary" is the device’s own',
  },
  ...reads('0.3.0'),
  summary: 'List webhooks',
  description: 'Oldest first. Of a device, `primary` (its `webhookUrl`) comes first. Secrets are not in the list.',
  answer: answer({ webhooks: Type.Array(WebhookSchema) }),
});

export const createWebhook = declareOfWebhooks({
  ids: { device: 'createWebhook', account: 'createAccountWebhook' },
  method: 'POST',
  path: '',
  command: 'webhook add <device> <url>',
  client: 'create',
  tool: {
    name: 'create_webhook',
    description: 'Posts events to a URL from now on. The answer has the secret that signs the posts',
    takes: ['url', 'events', 'chats', 'settleSeconds'],
  },
  ...changes('0.3.0', 'manage'),
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
  headers: creationHeader,
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
});

export const getWebhook = declareOfWebhooks({
  ids: { device: 'getAdditionalWebhook', account: 'getAccountWebhook' },
  path: '/{webhookId}',
  command: 'webhook show <device> <webhook>',
  client: 'get',
  ...reads('0.3.0', 'manage'),
  summary: 'Retrieve one of the webhooks, with its secret',
  description: 'Verify deliveries with the secret.',
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
});

export const updateWebhook = declareOfWebhooks({
  ids: { device: 'updateWebhook', account: 'updateAccountWebhook' },
  method: 'PUT',
  path: '/{webhookId}',
  command: 'webhook update <device> <webhook>',
  client: 'update',
  tool: {
    name: 'update_webhook',
    description: 'Changes a webhook, or turns it off and on; what is left out stays',
    takes: ['url', 'events', 'chats', 'enabled', 'settleSeconds'],
  },
  ...changes('0.3.0', 'manage'),
  summary: 'Update a webhook',
  description:
    'Changes only the given fields; `headers` replaces all headers. `url` and `enabled: true` enable a webhook that a 410 has stopped. `primary` is changed by `webhookUrl` and `webhookEvents` of the device.',
  body: {
    schema: UpdateWebhookSchema,
    examples: { stop: { enabled: false }, only: { chats: { only: ['4915112345678'] } } },
  },
  answer: answer({ webhook: WebhookSchema }),
});

export const deleteWebhook = declareOfWebhooks({
  ids: { device: 'deleteWebhook', account: 'deleteAccountWebhook' },
  method: 'DELETE',
  path: '/{webhookId}',
  command: 'webhook delete <device> <webhook>',
  client: 'delete',
  tool: {
    name: 'delete_webhook',
    description: 'Deletes a webhook with its secret and what waits to be posted to it',
  },
  ...destroys('0.3.0', 'manage'),
  summary: 'Delete a webhook',
  description: 'With its deliveries, also those that are pending. The events stay in the log.',
  answer: answer({}),
});

export const rotateSecret = declareOfWebhooks({
  ids: { device: 'rotateAdditionalWebhookSecret', account: 'rotateAccountWebhookSecret' },
  method: 'POST',
  path: '/{webhookId}/rotate-secret',
  command: 'webhook secret <device> <webhook> --rotate',
  client: 'rotateSecret',
  ...changes('0.3.0', 'manage'),
  summary: 'Rotate the secret of a webhook',
  description: overlapDescription,
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
});

export const testWebhook = declareOfWebhooks({
  ids: { device: 'testAdditionalWebhook', account: 'testAccountWebhook' },
  method: 'POST',
  path: '/{webhookId}/test',
  command: 'webhook test <device> <webhook>',
  client: 'test',
  tool: {
    name: 'test_webhook',
    description: 'Posts a signed test event to a webhook and says what the endpoint answered',
  },
  ...changes('0.3.0', 'manage'),
  summary: 'Send a signed test event to a webhook',
  description:
    'Posts an event of type `test` once, without retries; it is not written to the event log. From an account-wide webhook, its `deviceId` is 0.',
  answer: answer({ test: WebhookTestSchema }),
  errors: ['webhookDisabled'],
});
