/** Webhooks of a device, the primary one also below `/devices/{id}/webhook`, and of the account. */
import type { Static } from 'typebox';
import type { Immutable } from '../../contract/operation.ts';
import * as declared from '../../contract/operations/webhooks.ts';
import type { UpdateWebhookSchema, CreateWebhookSchema, WebhookSchema } from '../../contract/schemas/webhook.ts';
import { isoOrNull, iso } from '../../domain/event-view.ts';
import { type AnyKind, type EventKind, eventKinds } from '../../domain/event.ts';
import type { WebhookTest } from '../wire/services.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import {
  targetOf,
  assertKinds,
  settleSecondsFor,
  type WebhookSettings,
  parseChats,
  parseHeaders,
  type Webhook,
  webhookName,
} from '../../domain/webhooks/webhook.ts';
import { createdOnce } from './sent.ts';
import { handleWebhooks, webhookIn } from './webhook-scope.ts';
import { invalidRequest } from '../../errors.ts';

const overlapMs = 24 * 3_600_000;

const testView = ({ status, durationMs, error }: WebhookTest) => ({
  delivered: status !== null && status >= 200 && status < 300,
  status,
  durationMs: Math.round(durationMs),
  error,
});

type Update = Immutable<Static<typeof UpdateWebhookSchema>>;

const patchIn = ({ chats, headers, events, ...others }: Update): Partial<WebhookSettings> => {
  if (events?.length === 0) throw invalidRequest('events must have at least one event kind');
  return {
    ...others,
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(chats === undefined ? {} : { chats: parseChats(chats) }),
    ...(headers === undefined ? {} : { headers: parseHeaders(headers) }),
  };
};

const settingsIn = (given: Immutable<Static<typeof CreateWebhookSchema>>): WebhookSettings => {
  const defaults = { chats: null, headers: {}, enabled: true, ordered: true };
  const { url, events, ...patch } = patchIn(given);
  return {
    ...defaults,
    ...patch,
    url: url!,
    events: events!,
    settleSeconds: settleSecondsFor(events!, patch.settleSeconds ?? null),
  };
};

const healthOf = (webhook: Webhook) => ({
  health:
    !webhook.enabled || webhook.disabledAt !== null
      ? ('disabled' as const)
      : webhook.failingSince === null
        ? ('healthy' as const)
        : ('failing' as const),
  failingSince: isoOrNull(webhook.failingSince),
  disabledAt: isoOrNull(webhook.disabledAt),
  lastSuccessAt: isoOrNull(webhook.lastSuccessAt),
});

const copyOf = (chats: Webhook['chats']): Static<typeof WebhookSchema>['chats'] => {
  if (chats === null) return null;
  return 'only' in chats ? { only: [...chats.only] } : { except: [...chats.except] };
};

const webhookView = (webhook: Webhook): Static<typeof WebhookSchema> => ({
  id: webhookName(webhook),
  deviceId: webhook.deviceId,
  url: webhook.url,
  events: [...webhook.events],
  chats: copyOf(webhook.chats),
  headerNames: Object.keys(webhook.headers),
  enabled: webhook.enabled,
  ordered: webhook.ordered,
  settleSeconds: webhook.settleSeconds,
  createdAt: iso(webhook.createdAt),
  previousSecretUntil: isoOrNull(webhook.previousSecretUntil),
  ...healthOf(webhook),
});

const isEventKind = (kind: AnyKind): kind is EventKind => eventKinds.some((each) => each === kind);

const primaryView = (webhook: Webhook) => ({
  url: webhook.url,
  events: webhook.events.filter(isEventKind),
  secret: webhook.secret,
  previousSecretUntil: isoOrNull(webhook.previousSecretUntil),
  ...healthOf(webhook),
});

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
