/** Webhooks in answers and in request bodies (docs/spec/webhooks.md, Webhook, Additional webhooks). */
import type { WebhookTest } from '../wire/services.ts';
import type { Immutable } from '../../contract/operation.ts';
import type { Static } from 'typebox';
import type { UpdateWebhookSchema, CreateWebhookSchema, WebhookSchema } from '../../contract/schemas/webhook.ts';
import {
  type WebhookSettings,
  parseChats,
  parseHeaders,
  settleSecondsFor,
  type Webhook,
  webhookName,
} from '../../domain/webhooks/webhook.ts';
import { invalidRequest } from '../../errors.ts';
import { isoOrNull, iso } from '../../domain/event-view.ts';
import { type AnyKind, type EventKind, eventKinds } from '../../domain/event.ts';

export const testView = ({ status, durationMs, error }: WebhookTest) => ({
  delivered: status !== null && status >= 200 && status < 300,
  status,
  durationMs: Math.round(durationMs),
  error,
});

type Update = Immutable<Static<typeof UpdateWebhookSchema>>;

export const patchIn = ({ chats, headers, events, ...others }: Update): Partial<WebhookSettings> => {
  if (events?.length === 0) throw invalidRequest('events must have at least one event kind');
  return {
    ...others,
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(chats === undefined ? {} : { chats: parseChats(chats) }),
    ...(headers === undefined ? {} : { headers: parseHeaders(headers) }),
  };
};

export const settingsIn = (given: Immutable<Static<typeof CreateWebhookSchema>>): WebhookSettings => {
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

export const webhookView = (webhook: Webhook): Static<typeof WebhookSchema> => ({
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

export const primaryView = (webhook: Webhook) => ({
  url: webhook.url,
  events: webhook.events.filter(isEventKind),
  secret: webhook.secret,
  previousSecretUntil: isoOrNull(webhook.previousSecretUntil),
  ...healthOf(webhook),
});
