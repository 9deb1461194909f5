/** What the bridge asks of Handset, and the events that Handset posts. */
import type { Answer } from '../../../client/src/calls.ts';
import type { components } from '../../../client/src/schema.ts';
import { callJson, checked } from './http.ts';

type Schemas = components['schemas'];

export type Message = Schemas['MessageData'];

/** A chat by its addresses, as every event about a message has them. */
export type ChatAddress = Pick<Message, 'chat' | 'chatNumber' | 'chatLid'>;

/** The kinds that the webhook needs. */
export const eventTypes = ['message.received', 'message.sent', 'message.updated', 'message.deleted'] as const;

export type Event = Extract<Schemas['Event'], { type: (typeof eventTypes)[number] }>;
export type Update = Schemas['MessageUpdatedEvent']['data']['update'];

interface Options {
  readonly url: string;
  readonly key: string;
  readonly device: number;
}

/** Files may be large, and may have to be asked of the phone first. */
const mediaTimeoutMs = 600_000;

/** A client of one device. */
export const handsetClient = ({ url, key, device }: Options) => {
  const base = `${url}/v1/devices/${device}`;
  const headers = { authorization: `Bearer ${key}` };
  return {
    /** Sends one message; the same key never sends a second one. */
    async send(kind: string, body: object, idempotencyKey: string): Promise<string> {
      const all = { ...headers, 'idempotency-key': idempotencyKey };
      return (await callJson<Answer<'sendText'>>(`${base}/messages/${kind}`, 'POST', all, body)).messageId;
    },
    /** The JID of the chat that a number means. */
    async chatOf(number: string): Promise<string> {
      return (await callJson<Answer<'getChat'>>(`${base}/chats/${number}`, 'GET', headers)).chat.chat;
    },
    delete: (messageId: string, chat: string): Promise<unknown> =>
      callJson(`${base}/messages/${encodeURIComponent(messageId)}?chat=${encodeURIComponent(chat)}`, 'DELETE', headers),
    typing: (chat: string, state: 'text' | 'none'): Promise<unknown> =>
      callJson(`${base}/chats/${encodeURIComponent(chat)}/typing`, 'PUT', headers, { state }),
    read: (chat: string): Promise<unknown> =>
      callJson(`${base}/chats/${encodeURIComponent(chat)}/read`, 'POST', headers, {}),
    async subjectOf(group: string): Promise<string> {
      const path = `${base}/groups/${encodeURIComponent(group)}`;
      return (await callJson<Answer<'getGroup'>>(path, 'GET', headers)).group.subject;
    },
    /** The decrypted file of a message, as a stream. The path is built here: `media.url` may have a public name. */
    async media({ id, chat }: { readonly id: string; readonly chat: string }): Promise<Response> {
      const path = `/messages/${encodeURIComponent(id)}/media?chat=${encodeURIComponent(chat)}`;
      return checked(await fetch(base + path, { headers, signal: AbortSignal.timeout(mediaTimeoutMs) }));
    },
  };
};

export type HandsetClient = ReturnType<typeof handsetClient>;
