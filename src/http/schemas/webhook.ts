/** Webhooks in answers and in request bodies (docs/spec/webhooks.md, Webhook, Additional webhooks). */
import { type Static, Type } from 'typebox';
import { type AnyKind, type EventKind, allKinds, eventKinds } from '../../domain/event.ts';
import {
  type Webhook,
  type WebhookSettings,
  parseChats,
  parseHeaders,
  settleSecondsFor,
  webhookName,
} from '../../domain/webhooks/webhook.ts';
import { invalidRequest } from '../../errors.ts';
import type { Immutable } from '../wire/operation.ts';
import { flag, members, nullableInteger, nullableText, nullableTimestamp, oneOf, timestamp } from '../wire/build.ts';
import type { WebhookTest } from '../wire/parts.ts';
import { iso, isoOrNull } from './messages/message.ts';

const SecretSchema = Type.String({
  description: 'Signs the deliveries (Standard Webhooks)',
  examples: ['whsec_…'],
});

const healthMembers = (disabled: string) => ({
  health: oneOf(['healthy', 'failing', 'disabled'], { description: `\`disabled\`: ${disabled}` }),
  failingSince: nullableTimestamp('When the present run of failures began'),
  disabledAt: nullableTimestamp('When the endpoint answered 410'),
  lastSuccessAt: nullableTimestamp('When a delivery last succeeded, to the minute'),
});

const previousSecretUntil = nullableTimestamp('Until when the former secret signs as well; null when there is none');

export const PrimaryWebhookSchema = Type.Object(
  {
    url: nullableText({ description: '`webhookUrl` of the device' }),
    events: Type.Array(oneOf(eventKinds, { title: 'EventKind' }), { description: '`webhookEvents` of the device' }),
    secret: SecretSchema,
    previousSecretUntil,
    ...healthMembers('no URL is set, or the endpoint answered 410; set `webhookUrl` to enable it again'),
  },
  { title: 'Webhook' },
);

export const WebhookTestSchema = Type.Object(
  {
    delivered: Type.Boolean({ description: 'The endpoint answered with a 2xx' }),
    status: nullableInteger({ description: 'HTTP status of the endpoint’s answer; null when there was none' }),
    durationMs: Type.Integer(),
    error: nullableText({ description: 'Why the attempt failed' }),
  },
  { title: 'WebhookTest' },
);

export const testView = ({ status, durationMs, error }: WebhookTest) => ({
  delivered: status !== null && status >= 200 && status < 300,
  status,
  durationMs: Math.round(durationMs),
  error,
});

const chatList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1_000, description });

const filters = {
  only: chatList('Events of these chats alone'),
  except: chatList('Events of all chats but these'),
};

const chatsDescription =
  'JIDs, or phone numbers in digits; either address of a chat matches. Events that belong to no chat are always posted. Null: all chats';

const ChatFilterSchema = Type.Unsafe<{ only: string[] } | { except: string[] } | null>({
  title: 'ChatFilter',
  description: chatsDescription,
  anyOf: [Type.Object({ only: filters.only }), Type.Object({ except: filters.except }), Type.Null()],
});

const kinds = Type.Array(oneOf(allKinds, { title: 'AnyEventKind' }), {
  description: 'Event kinds to post, at least one',
  errorMessage: `must be a list of event kinds: ${allKinds.join(', ')}`,
});

const settle = {
  description: 'Seconds without writing after which a chat counts as settled (`chat.settled`), 1 to 60',
};

const descriptions = {
  enabled: 'Whether events are posted; while false, no deliveries are made',
  ordered: 'Whether an event waits for earlier ones of its chat; false: nothing is held back',
};

export const WebhookSchema = Type.Object(
  {
    id: Type.String({ description: '`whk_…`; `primary` is the webhook that the device’s own fields set' }),
    deviceId: nullableInteger({ description: 'Null: of all devices of the user' }),
    url: nullableText({ description: 'Null only for `primary`, if the device has no `webhookUrl`' }),
    events: kinds,
    chats: ChatFilterSchema,
    headerNames: Type.Array(Type.String(), { description: 'Names of the headers sent with each post' }),
    enabled: Type.Boolean({ description: descriptions.enabled }),
    ordered: Type.Boolean({ description: descriptions.ordered }),
    settleSeconds: nullableInteger(settle),
    createdAt: timestamp('When it was created'),
    previousSecretUntil,
    ...healthMembers('not enabled, or the endpoint answered 410; set `url` or `enabled` to enable it again'),
  },
  { title: 'AdditionalWebhook' },
);

/** Beside the webhook wherever one is asked for; not in lists. */
export const secretMember = { secret: SecretSchema };

const body = {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'URL that receives the events: https:// or http://, at most 2,048 characters',
    errorMessage: 'must be a URL of at most 2,048 characters',
  }),
  events: kinds,
  chats: Type.Optional(
    Type.Unsafe<{ only?: string[]; except?: string[] } | null>({
      type: ['object', 'null'],
      properties: filters,
      additionalProperties: false,
      description: chatsDescription,
      errorMessage: 'must be null, or an object with one of only and except: 1 to 1,000 JIDs or phone numbers',
    }),
  ),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Headers sent with each post, at most 20. Stored encrypted and never shown again. `host`, `content-type`, `webhook-…` and headers of the connection are refused',
      errorMessage: 'must be an object of texts',
    }),
  ),
  enabled: Type.Optional(flag(descriptions.enabled)),
  ordered: Type.Optional(flag(descriptions.ordered)),
  settleSeconds: Type.Optional(
    Type.Integer({
      ...settle,
      minimum: 1,
      maximum: 60,
      errorMessage: 'must be a whole number of seconds from 1 to 60',
    }),
  ),
};

export const CreateWebhookSchema = members(body, { title: 'CreateWebhook' });

export const UpdateWebhookSchema = members(
  { ...body, url: Type.Optional(body.url), events: Type.Optional(kinds) },
  { title: 'UpdateWebhook' },
);

type Update = Immutable<Static<typeof UpdateWebhookSchema>>;

/** The members given, checked. Throws InvalidRequest. */
export const patchIn = ({ chats, headers, events, ...others }: Update): Partial<WebhookSettings> => {
  if (events?.length === 0) throw invalidRequest('events must have at least one event kind');
  return {
    ...others,
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(chats === undefined ? {} : { chats: parseChats(chats) }),
    ...(headers === undefined ? {} : { headers: parseHeaders(headers) }),
  };
};

/** Throws InvalidRequest. */
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

/** A primary one as `/devices/{id}/webhook` shows it. */
export const primaryView = (webhook: Webhook) => ({
  url: webhook.url,
  events: webhook.events.filter(isEventKind),
  secret: webhook.secret,
  previousSecretUntil: isoOrNull(webhook.previousSecretUntil),
  ...healthOf(webhook),
});
