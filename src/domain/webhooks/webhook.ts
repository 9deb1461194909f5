/** Webhooks: of a device, `primary` among them, or of all devices of a user (docs/spec/webhooks.md, Webhook, Additional webhooks). */
import type { Creation } from '../messages/idempotency.ts';
import { invalidRequest } from '../../errors.ts';
import type { Actor } from '../audit.ts';
import { parseChat } from '../chats/recipient.ts';
import { type AnyKind, deviceKinds } from '../event.ts';
import type { Jid } from '../jid.ts';

/** Per device beside its primary one, and account-wide per user. */
export const maxWebhooks = 100;

export type ChatFilter = { readonly only: readonly Jid[] } | { readonly except: readonly Jid[] };

export interface WebhookSettings {
  readonly url: string | null;
  readonly events: readonly AnyKind[];
  readonly chats: ChatFilter | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** False: no event waits for an earlier one of its chat. */
  readonly ordered: boolean;
  readonly settleSeconds: number | null;
}

export interface Webhook extends WebhookSettings {
  readonly id: number;
  readonly userId: number;
  readonly deviceId: number | null;
  /** Set by `webhookUrl` and `webhookEvents` of its device, which has exactly one. */
  readonly isPrimary: boolean;
  readonly createdAt: number;
  readonly secret: string;
  /** Still signs until `previousSecretUntil` (24 h after a rotation). */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  /** Set by a 410: nothing is posted until the URL or `enabled` is set again. */
  readonly disabledAt: number | null;
  readonly failingSince: number | null;
  /** To the minute. */
  readonly lastSuccessAt: number | null;
}

export type Target = Webhook & { readonly url: string };

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
  create(
    userId: number,
    deviceId: number | null,
    settings: WebhookSettings,
    by?: Actor,
    once?: Creation,
  ): Promise<Webhook>;
  get(id: number): Promise<Webhook>;
  primary(deviceId: number): Promise<Webhook>;
  /** Null unless it is the user's, and the device's (`deviceId` null: account-wide). */
  find(userId: number, deviceId: number | null, id: number): Promise<Webhook | null>;
  list(userId: number, deviceId: number | null): Promise<readonly Webhook[]>;
  /** Setting the URL or `enabled` re-enables one stopped by a 410. */
  update(webhook: Webhook, patch: Partial<WebhookSettings>, by?: Actor): Promise<Webhook>;
  /** The former secret stays valid until `previousUntil`. */
  rotateSecret(webhook: Webhook, previousUntil: number, by?: Actor): Promise<Webhook>;
  disable(webhook: Webhook, at: number): Promise<void>;
  delete(webhook: Webhook, by?: Actor): Promise<void>;
}

/** Headers every post has, hop-by-hop headers, and those that would change the request. */
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

/** Lower-case names. Throws InvalidRequest for reserved ones. */
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

export const webhookName = ({ id, isPrimary }: Pick<Webhook, 'id' | 'isPrimary'>): string =>
  isPrimary ? 'primary' : `whk_${id.toString(32).padStart(8, '0')}`;

export const webhookIdOf = (name: string): number | null =>
  /^whk_[0-9a-v]{8}$/.test(name) ? Number.parseInt(name.slice(4), 32) : null;

/** Throws InvalidRequest for account-wide kinds: a device's webhook is made after the device, and goes with it. */
export const assertKinds = (deviceId: number | null, events: readonly AnyKind[]): void => {
  const kind = deviceKinds.find((each) => events.includes(each));
  if (deviceId !== null && kind !== undefined)
    throw invalidRequest(`events must not have ${kind}: only account-wide webhooks (POST /webhooks) get it`);
};

const defaultSettleSeconds = 8;

/** `chat.settled` requires one. */
export const settleSecondsFor = (events: readonly AnyKind[], given: number | null): number | null =>
  given ?? (events.includes('chat.settled') ? defaultSettleSeconds : null);
