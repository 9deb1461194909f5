/** Additional webhooks of a device, or of all devices of a user (docs/spec/webhooks.md, Additional webhooks). */
import { invalidRequest } from '../../errors.ts';
import type { Actor } from '../audit.ts';
import { parseChat } from '../chats/address.ts';
import type { Webhook } from '../delivery.ts';
import { type AnyKind, deviceKinds } from '../event.ts';
import type { Jid } from '../jid.ts';

/** Limit for a device, and for account-wide ones of a user. */
export const mostWebhooks = 100;

export type ChatFilter = { readonly only: readonly Jid[] } | { readonly except: readonly Jid[] };

export interface AdditionalWebhook extends Omit<Webhook, 'url' | 'deviceId' | 'headers' | 'webhookId'> {
  readonly id: number;
  readonly userId: number;
  /** Null: of all devices of the user. */
  readonly deviceId: number | null;
  readonly url: string;
  readonly events: readonly AnyKind[];
  /** Null: all chats. */
  readonly chats: ChatFilter | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** False: no event waits for an earlier one of its chat. */
  readonly ordered: boolean;
  /** Set where `chat.settled` is wanted. */
  readonly settleSeconds: number | null;
  readonly createdAt: number;
}

export type WebhookWish = Pick<
  AdditionalWebhook,
  'url' | 'events' | 'chats' | 'headers' | 'enabled' | 'ordered' | 'settleSeconds'
>;

export interface AdditionalWebhookStore {
  /** Throws Conflict when there are 100 of the device, or account-wide, already. */
  create(userId: number, deviceId: number | null, wish: WebhookWish, by?: Actor): Promise<AdditionalWebhook>;
  /** Null unless it is the user's, and the device's (`deviceId` null: account-wide). */
  find(userId: number, deviceId: number | null, id: number): Promise<AdditionalWebhook | null>;
  /** Oldest first. */
  list(userId: number, deviceId: number | null): Promise<readonly AdditionalWebhook[]>;
  /** Setting the URL or `enabled` enables a webhook that a 410 has stopped. */
  update(webhook: AdditionalWebhook, patch: Partial<WebhookWish>, by?: Actor): Promise<AdditionalWebhook>;
  rotateSecret(webhook: AdditionalWebhook, previousUntil: number, by?: Actor): Promise<AdditionalWebhook>;
  /** With its deliveries. */
  delete(webhook: AdditionalWebhook, by?: Actor): Promise<void>;
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
const mostHeaders = 20;

/** Header names in lower case. Throws InvalidRequest for one that may not be set. */
export const parseHeaders = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  const names = Object.keys(given);
  if (names.length > mostHeaders) throw invalidRequest(`headers must have at most ${mostHeaders} names`);
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

/** Throws InvalidRequest for what is no chat, and for both lists at once. */
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

/** As callers name it. */
export const webhookName = (id: number): string => `whk_${id.toString(32).padStart(8, '0')}`;

/** Null for what is no name. */
export const webhookIdOf = (name: string): number | null =>
  /^whk_[0-9a-v]{8}$/.test(name) ? Number.parseInt(name.slice(4), 32) : null;

/** Throws InvalidRequest for kinds that a webhook of one device never gets: it is made after the device, and goes with it. */
export const assertKinds = (deviceId: number | null, events: readonly AnyKind[]): void => {
  const kind = deviceKinds.find((each) => events.includes(each));
  if (deviceId !== null && kind !== undefined)
    throw invalidRequest(`events must not have ${kind}: only account-wide webhooks (POST /webhooks) get it`);
};

const defaultSettleSeconds = 8;

/** `chat.settled` cannot do without. */
export const settleSecondsFor = (events: readonly AnyKind[], given: number | null): number | null =>
  given ?? (events.includes('chat.settled') ? defaultSettleSeconds : null);
