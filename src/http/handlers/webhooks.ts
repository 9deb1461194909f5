/** Webhooks of a device, the primary one also below `/devices/{id}/webhook`, and of the account. */
import { Type } from 'typebox';
import { assertKinds, settleSecondsFor, targetOf } from '../../domain/webhooks/webhook.ts';
import { invalidRequest } from '../../errors.ts';
import {
  WebhookSchema,
  CreateWebhookSchema,
  patchIn,
  primaryView,
  secretMember,
  settingsIn,
  testView,
  UpdateWebhookSchema,
  PrimaryWebhookSchema,
  WebhookTestSchema,
  webhookView,
} from '../schemas/webhook.ts';
import { answer, ok } from '../wire/build.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { deliveryOperations } from './deliveries.ts';
import { webhookIn, webhookOperations } from './webhook-scope.ts';

/** How long the former secret signs as well. */
const overlapMs = 24 * 3_600_000;
const overlapDescription = 'For 24 h, deliveries carry two signatures: with the new secret and with the previous one.';

/** Where to, the secret, and how it fares. */
const getPrimary = operation({
  id: 'getWebhook',
  method: 'GET',
  path: '/devices/{id}/webhook',
  tag: 'Webhooks',
  summary: 'Retrieve the webhook, its secret and its health',
  answer: answer({ webhook: PrimaryWebhookSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, deviceId }) {
    const webhook = await parts.stores.webhooks.primary(deviceId);
    return { webhook: primaryView(webhook), status: ok(`Webhook of device ${deviceId} retrieved`) };
  },
});

const rotatePrimarySecret = operation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/devices/{id}/webhook/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the webhook secret',
  description: overlapDescription,
  answer: answer({ webhook: PrimaryWebhookSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, actor, deviceId }) {
    const { webhooks } = parts.stores;
    const before = await webhooks.primary(deviceId);
    const webhook = await webhooks.rotateSecret(before, parts.clock.now() + overlapMs, actor);
    return { webhook: primaryView(webhook), status: ok(`Webhook secret of device ${deviceId} rotated`) };
  },
});

const testPrimary = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/devices/{id}/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a signed test event',
  description: 'Posts an event of type `test` once, without retries; it is not written to the event log.',
  answer: answer({ test: WebhookTestSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId }) {
    const webhook = await parts.stores.webhooks.primary(deviceId);
    const test = testView(await parts.testWebhook(targetOf(webhook)));
    return { test, status: ok(`Webhook of device ${deviceId} tested`) };
  },
});

const listWebhooks = webhookOperations({
  ids: { device: 'listWebhooks', account: 'listAccountWebhooks' },
  method: 'GET',
  path: '',
  summary: 'List webhooks',
  description: 'Oldest first. Of a device, `primary` (its `webhookUrl`) comes first. Secrets are not in the list.',
  answer: answer({ webhooks: Type.Array(WebhookSchema) }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const webhooks = await parts.stores.webhooks.list(caller.user.id, deviceId);
    return { webhooks: webhooks.map(webhookView), status: ok('Webhooks listed') };
  },
});

const createWebhook = webhookOperations({
  ids: { device: 'createWebhook', account: 'createAccountWebhook' },
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
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
  errors: [400, 401, 404, 408, 409, 413, 429, 500],
  async run({ parts, caller, actor, deviceId, body }) {
    const settings = settingsIn(body);
    assertKinds(deviceId, settings.events);
    await parts.outbound.check(body.url, 'url');
    const webhook = await parts.stores.webhooks.create(caller.user.id, deviceId, settings, actor);
    return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook created') };
  },
});

const getWebhook = webhookOperations({
  ids: { device: 'getAdditionalWebhook', account: 'getAccountWebhook' },
  method: 'GET',
  path: '/{webhookId}',
  summary: 'Retrieve one of the webhooks, with its secret',
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const webhook = await webhookIn(call, call.params.webhookId);
    return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook retrieved') };
  },
});

const updateWebhook = webhookOperations({
  ids: { device: 'updateWebhook', account: 'updateAccountWebhook' },
  method: 'PUT',
  path: '/{webhookId}',
  summary: 'Update a webhook',
  description:
    'Changes only the given fields; `headers` replaces all headers. `url` and `enabled: true` enable a webhook that a 410 has stopped. `primary` is changed by `webhookUrl` and `webhookEvents` of the device.',
  body: {
    schema: UpdateWebhookSchema,
    examples: { stop: { enabled: false }, only: { chats: { only: ['4915112345678'] } } },
  },
  answer: answer({ webhook: WebhookSchema }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run(call) {
    const { parts, actor, params, deviceId, body } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook.isPrimary)
      throw invalidRequest(
        `primary is the device's own webhook: change it by webhookUrl and webhookEvents of PUT /devices/${deviceId}`,
      );
    const patch = patchIn(body);
    assertKinds(deviceId, patch.events ?? []);
    if (body.url !== undefined) await parts.outbound.check(body.url, 'url');
    const { events = webhook.events, settleSeconds = webhook.settleSeconds } = patch;
    const settled = { settleSeconds: settleSecondsFor(events, settleSeconds) };
    const isEmpty = Object.keys(patch).length === 0;
    const after = isEmpty ? webhook : await parts.stores.webhooks.update(webhook, { ...patch, ...settled }, actor);
    // Waiting deliveries go out as soon as there is somewhere to post them to again.
    parts.wakeDispatcher();
    return { webhook: webhookView(after), status: ok('Webhook updated') };
  },
});

const deleteWebhook = webhookOperations({
  ids: { device: 'deleteWebhook', account: 'deleteAccountWebhook' },
  method: 'DELETE',
  path: '/{webhookId}',
  summary: 'Delete a webhook',
  description: 'With its deliveries, also those that are pending. The events stay in the log.',
  answer: answer({}),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, actor, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    if (webhook.isPrimary)
      throw invalidRequest(
        `primary is the device's own webhook: set webhookUrl to null by PUT /devices/${deviceId} to stop it`,
      );
    await parts.stores.webhooks.delete(webhook, actor);
    return { status: ok('Webhook deleted') };
  },
});

const rotateSecret = webhookOperations({
  ids: { device: 'rotateAdditionalWebhookSecret', account: 'rotateAccountWebhookSecret' },
  method: 'POST',
  path: '/{webhookId}/rotate-secret',
  summary: 'Rotate the secret of a webhook',
  description: overlapDescription,
  answer: answer({ webhook: WebhookSchema, ...secretMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, actor, params } = call;
    const before = await webhookIn(call, params.webhookId);
    const webhook = await parts.stores.webhooks.rotateSecret(before, parts.clock.now() + overlapMs, actor);
    return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook secret rotated') };
  },
});

const testWebhook = webhookOperations({
  ids: { device: 'testAdditionalWebhook', account: 'testAccountWebhook' },
  method: 'POST',
  path: '/{webhookId}/test',
  summary: 'Send a signed test event to a webhook',
  description:
    'Posts an event of type `test` once, without retries; it is not written to the event log. From an account-wide webhook, its `deviceId` is 0.',
  answer: answer({ test: WebhookTestSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const test = testView(await parts.testWebhook(targetOf(webhook)));
    return { test, status: ok('Webhook tested') };
  },
});

/** In the order of the documentation. */
const each = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  ...deliveryOperations,
];

export const primaryWebhookOperations: readonly Operation[] = [
  getPrimary,
  rotatePrimarySecret,
  testPrimary,
  ...deliveryOperations.map(({ primary }) => primary).filter((made) => made !== null),
];

/** Those of a device, then account-wide ones. */
export const webhookOperationsOfBoth: readonly Operation[] = [
  ...each.map(({ device }) => device),
  ...each.map(({ account }) => account),
];
