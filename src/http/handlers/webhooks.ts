/** Further webhooks of a device, and those of the account. */
import { Type } from 'typebox';
import { answer, ok } from '../wire/build.ts';
import {
  additionalView,
  AdditionalWebhookSchema,
  CreateWebhookSchema,
  patchIn,
  primaryView,
  secretMember,
  UpdateWebhookSchema,
  wishIn,
} from '../schemas/additional-webhook.ts';
import { webhookIn, webhookOperations } from './webhook-scope.ts';
import { assertKinds, settleSecondsFor } from '../../domain/webhooks/additional.ts';
import { invalidRequest } from '../../errors.ts';
import { overlapMs } from './primary-webhook.ts';
import { testView, WebhookTestSchema } from '../schemas/webhook.ts';
import type { Operation } from '../wire/operation.ts';
import {
  listWebhookAttempts,
  listWebhookDeliveries,
  retryWebhookDeliveries,
  retryWebhookDelivery,
} from './webhook-deliveries.ts';

/** `GET …/webhooks` (docs/spec/webhooks.md, Additional webhooks): oldest first; of a device after its own one. */
const listWebhooks = webhookOperations({
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

/** `POST …/webhooks` (docs/spec/webhooks.md, Additional webhooks). */
const createWebhook = webhookOperations({
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

/** `GET …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): with its secret. */
const getAdditionalWebhook = webhookOperations({
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

/** `PUT …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): changes only the members given. */
const updateWebhook = webhookOperations({
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

/** `DELETE …/webhooks/{webhookId}` (docs/spec/webhooks.md, Additional webhooks): with its deliveries. */
const deleteWebhook = webhookOperations({
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

/** `POST …/webhooks/{webhookId}/rotate-secret` (docs/spec/webhooks.md, Additional webhooks). */
const rotateAdditionalSecret = webhookOperations({
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

/** `POST …/webhooks/{webhookId}/test` (docs/spec/webhooks.md, Additional webhooks): a signed test event, posted at once. */
const testAdditionalWebhook = webhookOperations({
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

/** Operations on the webhooks of a device, and on account-wide ones, in the order of the documentation. */
const each = [
  createWebhook,
  listWebhooks,
  getAdditionalWebhook,
  updateWebhook,
  deleteWebhook,
  rotateAdditionalSecret,
  testAdditionalWebhook,
  listWebhookDeliveries,
  listWebhookAttempts,
  retryWebhookDelivery,
  retryWebhookDeliveries,
];

/** Those of a device, then account-wide ones. */
export const additionalOperations: readonly Operation[] = [0, 1].flatMap((n) => each.map((both) => both[n]!));
