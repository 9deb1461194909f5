/** Webhooks of a device, the primary one also below `/devices/{id}/webhook`, and of the account. */
import * as declared from '../../contract/operations/webhooks.ts';
import { primaryView, testView, webhookView, settingsIn, patchIn } from '../views/webhook.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { targetOf, assertKinds, settleSecondsFor } from '../../domain/webhooks/webhook.ts';
import { createdOnce } from './created.ts';
import { handleWebhooks, webhookIn } from './webhook-scope.ts';
import { invalidRequest } from '../../errors.ts';

const overlapMs = 24 * 3_600_000;

export const getPrimary = handle(declared.getPrimary, async ({ services, deviceId }) => {
  const webhook = await services.stores.webhooks.primary(deviceId);
  return { webhook: primaryView(webhook), status: ok(`Webhook of device ${deviceId} retrieved`) };
});

export const rotatePrimarySecret = handle(declared.rotatePrimarySecret, async ({ services, actor, deviceId }) => {
  const { webhooks } = services.stores;
  const before = await webhooks.primary(deviceId);
  const webhook = await webhooks.rotateSecret(before, services.clock.now() + overlapMs, actor);
  return { webhook: primaryView(webhook), status: ok(`Webhook secret of device ${deviceId} rotated`) };
});

export const testPrimary = handle(declared.testPrimary, async ({ services, deviceId }) => {
  const webhook = await services.stores.webhooks.primary(deviceId);
  const test = testView(await services.testWebhook(targetOf(webhook)));
  return { test, status: ok(`Webhook of device ${deviceId} tested`) };
});

export const listWebhooks = handleWebhooks(declared.listWebhooks, async ({ services, caller, deviceId }) => {
  const webhooks = await services.stores.webhooks.list(caller.user.id, deviceId);
  return { webhooks: webhooks.map(webhookView), status: ok('Webhooks listed') };
});

export const createWebhook = handleWebhooks(declared.createWebhook, async (call) => {
  const { services, caller, actor, deviceId, body } = call;
  const settings = settingsIn(body);
  assertKinds(deviceId, settings.events);
  await services.outbound.check(body.url, 'url');
  const webhook = await createdOnce(call, `webhook ${deviceId}`, body, (once) =>
    services.stores.webhooks.create(caller.user.id, deviceId, settings, actor, once),
  );
  return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook created') };
});

export const getWebhook = handleWebhooks(declared.getWebhook, async (call) => {
  const webhook = await webhookIn(call, call.params.webhookId);
  return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook retrieved') };
});

export const updateWebhook = handleWebhooks(declared.updateWebhook, async (call) => {
  const { services, actor, params, deviceId, body } = call;
  const webhook = await webhookIn(call, params.webhookId);
  if (webhook.isPrimary)
    throw invalidRequest(
      `primary is the device's own webhook: change it by webhookUrl and webhookEvents of PUT /devices/${deviceId}`,
    );
  const patch = patchIn(body);
  assertKinds(deviceId, patch.events ?? []);
  if (body.url !== undefined) await services.outbound.check(body.url, 'url');
  const { events = webhook.events, settleSeconds = webhook.settleSeconds } = patch;
  const settled = { settleSeconds: settleSecondsFor(events, settleSeconds) };
  const isEmpty = Object.keys(patch).length === 0;
  const after = isEmpty ? webhook : await services.stores.webhooks.update(webhook, { ...patch, ...settled }, actor);
  services.wakeDispatcher();
  return { webhook: webhookView(after), status: ok('Webhook updated') };
});

export const deleteWebhook = handleWebhooks(declared.deleteWebhook, async (call) => {
  const { services, actor, params, deviceId } = call;
  const webhook = await webhookIn(call, params.webhookId);
  if (webhook.isPrimary)
    throw invalidRequest(
      `primary is the device's own webhook: set webhookUrl to null by PUT /devices/${deviceId} to stop it`,
    );
  await services.stores.webhooks.delete(webhook, actor);
  return { status: ok('Webhook deleted') };
});

export const rotateSecret = handleWebhooks(declared.rotateSecret, async (call) => {
  const { services, actor, params } = call;
  const before = await webhookIn(call, params.webhookId);
  const webhook = await services.stores.webhooks.rotateSecret(before, services.clock.now() + overlapMs, actor);
  return { webhook: webhookView(webhook), secret: webhook.secret, status: ok('Webhook secret rotated') };
});

export const testWebhook = handleWebhooks(declared.testWebhook, async (call) => {
  const { services, params } = call;
  const webhook = await webhookIn(call, params.webhookId);
  const test = testView(await services.testWebhook(targetOf(webhook)));
  return { test, status: ok('Webhook tested') };
});
