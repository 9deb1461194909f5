/** Webhooks: of a device, `primary` among them, or of all devices of a user (docs/spec/webhooks.md, Webhook, Additional webhooks). */
import { invalidRequest } from '../../errors.ts';
import type { Actor } from '../audit.ts';
import { parseChat } from '../chats/address.ts';
import { type AnyKind, deviceKinds } from '../event.ts';
import type { Jid } from '../jid.ts';

/** Limit for a device beside its primary one, and for account-wide ones of a user. */
export const maxWebhooks = 100;

export type ChatFilter = { readonly only: readonly Jid[] } | { readonly except: readonly Jid[] };

/** What its user sets. */
export interface WebhookSettings {
  /** Null only for a primary one, which is then not enabled. */
  readonly url: string | null;
  readonly events: readonly AnyKind[];
  /** Null: all chats. */
  readonly chats: ChatFilter | null;
  /** Sent with each post beside those of the specification. */
  readonly headers: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** False: no event waits for an earlier one of its chat. */
  readonly ordered: boolean;
  /** Set where `chat.settled` is wanted. */
  readonly settleSeconds: number | null;
}

export interface Webhook extends WebhookSettings {
  readonly id: number;
  readonly userId: number;
  /** Null: of all devices of the user. */
  readonly deviceId: number | null;
  /** The one that `webhookUrl` and `webhookEvents` of its device set: each device has one, for as long as it exists. */
  readonly isPrimary: boolean;
  readonly createdAt: number;
  /** `whsec_…`; the current secret. */
  readonly secret: string;
  /** The former secret, still signed with until `previousSecretUntil` (24 h after a rotation). */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  /** Set by a 410: nothing is posted until the URL is set again, or `enabled`. */
  readonly disabledAt: number | null;
  /** When the present run of failures began, or null. */
  readonly failingSince: number | null;
  /** To the minute. */
  readonly lastSuccessAt: number | null;
}

/** A webhook that can be posted to. */
export type Target = Webhook & { readonly url: string };

/** Throws InvalidRequest. */
export const targetOf = (webhook: Webhook): Target => {
  const { url, enabled, isPrimary } = webhook;
  if (url !== null && enabled) return { ...webhook, url };
  throw invalidRequest(
    isPrimary
      ? 'Device has no webhookUrl; set it before testing the webhook'
      : 'The webhook is not enabled; enable it before testing it',
  );
};

export interface WebhookStore {
  /** Throws Conflict when there are 100 of the device, or account-wide, already. */
  create(userId: number, deviceId: number | null, settings: WebhookSettings, by?: Actor): Promise<Webhook>;
  /** Throws NotFound. */
  get(id: number): Promise<Webhook>;
  /** Of a device. Throws DeviceNotFound. */
  primary(deviceId: number): Promise<Webhook>;
  /** Null unless it is the user's, and the device's (`deviceId` null: account-wide). */
  find(userId: number, deviceId: number | null, id: number): Promise<Webhook | null>;
  /** Oldest first, of a device the primary one before all others. */
  list(userId: number, deviceId: number | null): Promise<readonly Webhook[]>;
  /** Setting the URL or `enabled` enables a webhook that a 410 has stopped. */
  update(webhook: Webhook, patch: Partial<WebhookSettings>, by?: Actor): Promise<Webhook>;
  /** The former secret stays valid until `previousUntil`. */
  rotateSecret(webhook: Webhook, previousUntil: number, by?: Actor): Promise<Webhook>;
  /** After a 410. */
  disable(webhook: Webhook, at: number): Promise<void>;
  /** With its deliveries. */
  delete(webhook: Webhook, by?: Actor): Promise<void>;
}

/** Headers that a post has anyway, that belong to the connection, or that would make it another request. */
const reserved = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]{0,2000}$/;
const maxHeaders = 20;

/** Header names in lower case. Throws InvalidRequest for one that may not be set. */
export const parseHeaders = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  const names = Object.keys(given);
  if (names.length > maxHeaders) throw invalidRequest(`headers must have at most ${maxHeaders} names`);
  for (const name of names) {
    const lower = name.toLowerCase();
    if (!headerName.test(name))
      throw invalidRequest(
        `headers must have names of 1 to 100 letters, digits and -_.: ${JSON.stringify(name)} is none`,
      );
    if (reserved.has(lower) || lower.startsWith('webhook-'))
      throw invalidRequest(`headers must not have ${lower}: it is set by the service, or belongs to the connection`);
    if (lower in headers) throw invalidRequest(`headers has ${lower} twice`);
    if (!headerValue.test(given[name]!))
      throw invalidRequest(`headers.${name} must be at most 2,000 characters of Latin-1, without line breaks`);
    headers[lower] = given[name]!;
  }
  return headers;
};

/** Throws InvalidRequest for what is no chat, and if both lists are given. */
export const parseChats = (
  chats: { readonly only?: readonly string[]; readonly except?: readonly string[] } | null,
): ChatFilter | null => {
  if (chats === null) return null;
  const { only, except } = chats;
  if ((only === undefined) === (except === undefined))
    throw invalidRequest('chats must be null, or have one of only and except');
  if (only !== undefined) return { only: only.map((chat) => parseChat(chat, 'chats.only')) };
  return { except: except!.map((chat) => parseChat(chat, 'chats.except')) };
};

/** The id in the API. */
export const webhookName = ({ id, isPrimary }: Pick<Webhook, 'id' | 'isPrimary'>): string =>
  isPrimary ? 'primary' : `whk_${id.toString(32).padStart(8, '0')}`;

/** Null for any other text. */
export const webhookIdOf = (name: string): number | null =>
  /^whk_[0-9a-v]{8}$/.test(name) ? Number.parseInt(name.slice(4), 32) : null;

/** Throws InvalidRequest for kinds that only account-wide webhooks get: a device's webhook is made after the device, and goes with it. */
export const assertKinds = (deviceId: number | null, events: readonly AnyKind[]): void => {
  const kind = deviceKinds.find((each) => events.includes(each));
  if (deviceId !== null && kind !== undefined)
    throw invalidRequest(`events must not have ${kind}: only account-wide webhooks (POST /webhooks) get it`);
};

const defaultSettleSeconds = 8;

/** `chat.settled` requires one. */
export const settleSecondsFor = (events: readonly AnyKind[], given: number | null): number | null =>
  given ?? (events.includes('chat.settled') ? defaultSettleSeconds : null);
