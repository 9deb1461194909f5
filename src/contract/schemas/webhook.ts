/** Webhooks in answers and in request bodies (docs/spec/webhooks.md, Webhook, Additional webhooks). */
import { Type } from 'typebox';
import { oneOf, nullableTimestamp, nullableText, nullableInteger, timestamp, flag, members } from '../build.ts';
import { eventKinds, allKinds } from '../../domain/event.ts';

const SecretSchema = Type.String({
  description: 'Signs the deliveries (Standard Webhooks)',
  examples: ['whsec_…'],
});

const healthMembers = (disabled: string) => ({
  health: oneOf(['healthy', 'failing', 'disabled'], { description: `\`disabled\`: ${disabled}` }),
  failingSince: nullableTimestamp('When the current series of failures began'),
  disabledAt: nullableTimestamp('When the endpoint answered 410'),
  lastSuccessAt: nullableTimestamp('When a delivery last succeeded, to the minute'),
});

const previousSecretUntil = nullableTimestamp('When the previous secret stops signing; null when there is none');

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
    deviceId: nullableInteger({ description: 'Null: for all devices of the user' }),
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

export const DeliverySchema = Type.Object(
  {
    id: Type.String({ examples: ['dlv_…'] }),
    deviceId: Type.Integer({ description: 'The device of the event; it may be deleted by now' }),
    eventId: Type.String({ examples: ['evt_…'] }),
    eventType: Type.Unsafe<string>({ type: 'string', enum: [...allKinds], title: 'AnyEventKind' }),
    state: oneOf(['pending', 'delivered', 'failed']),
    attempts: Type.Integer(),
    createdAt: timestamp('When the event was made'),
    nextAttemptAt: nullableTimestamp('When it is posted next; null when no attempt is due'),
    lastAttemptAt: nullableTimestamp('When it was last posted'),
    deliveredAt: nullableTimestamp('When the endpoint accepted it'),
    lastStatus: nullableInteger({ description: 'HTTP status of the last answer; null when there was none' }),
    lastError: nullableText({ description: 'Why the attempt failed' }),
    lastDurationMs: nullableInteger(),
    lastResponse: nullableText({ description: 'The first kilobyte of the last answer' }),
    late: Type.Boolean({
      description:
        'Failed for two minutes, so later events of its chat no longer wait for it: it may arrive out of order',
    }),
  },
  { title: 'Delivery' },
);

export const AttemptSchema = Type.Object(
  {
    at: timestamp('When the attempt ended'),
    status: nullableInteger({ description: 'HTTP status of the answer; null when there was none' }),
    ms: nullableInteger({ description: 'Duration in milliseconds' }),
    error: nullableText({ description: 'Why the attempt failed' }),
    answer: nullableText({ description: 'The first kilobyte of the answer; null when there was none' }),
    headers: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
      description:
        'Headers of the answer in lower case, up to 4 kB, without those that may hold a secret, such as Set-Cookie; ' +
        'null when there was no answer, or a success without a body',
    }),
  },
  { title: 'Attempt' },
);
