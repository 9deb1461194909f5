/** What the bridge asks of Handset, and the events that Handset posts. */
import { callJson, checked } from './http.ts';

export interface Person {
  readonly jid: string;
  readonly number: string | null;
  readonly lid: string | null;
}

interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly name: string | null;
  readonly address: string | null;
}

/** A chat by its addresses, as every event about a message has them. */
export interface ChatAddress {
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly chatLid: string | null;
}

export interface Media {
  readonly mimetype: string | null;
  readonly fileName: string | null;
  readonly url: string | null;
}

export interface Message extends ChatAddress {
  readonly id: string;
  readonly fromNumber: string | null;
  readonly from: string;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  readonly type: string;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: Media | null;
  readonly location: Place | null;
  readonly contacts: readonly { readonly name: string; readonly numbers: readonly string[] }[];
  readonly poll: { readonly question: string; readonly options: readonly string[] } | null;
  readonly event: { readonly name: string; readonly startsAt: string | null } | null;
  readonly groupInvite: { readonly subject: string | null } | null;
  readonly unavailable: string | null;
}

export interface Update {
  readonly status?: 'delivered' | 'read' | 'played' | 'failed';
  readonly text?: string | null;
  readonly reaction?: string | null;
  readonly from?: Person;
  readonly message?: Message;
}

export type Event = { readonly id: string } & (
  | { readonly type: 'message.received'; readonly data: { readonly message: Message } }
  | { readonly type: 'message.sent'; readonly data: { readonly message: Message; readonly source: 'api' | 'phone' } }
  | {
      readonly type: 'message.updated';
      readonly data: ChatAddress & { readonly messageId: string; readonly update: Update };
    }
  | { readonly type: 'message.deleted'; readonly data: ChatAddress & { readonly messageId: string } }
);

/** The kinds that the webhook needs. */
export const eventTypes = ['message.received', 'message.sent', 'message.updated', 'message.deleted'] as const;

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
      return (await callJson<{ messageId: string }>(`${base}/messages/${kind}`, 'POST', all, body)).messageId;
    },
    /** The JID of the chat that a number means. */
    async chatOf(number: string): Promise<string> {
      return (await callJson<{ chat: { chat: string } }>(`${base}/chats/${number}`, 'GET', headers)).chat.chat;
    },
    delete: (messageId: string, chat: string): Promise<unknown> =>
      callJson(`${base}/messages/${encodeURIComponent(messageId)}?chat=${encodeURIComponent(chat)}`, 'DELETE', headers),
    typing: (chat: string, state: 'text' | 'none'): Promise<unknown> =>
      callJson(`${base}/chats/${encodeURIComponent(chat)}/typing`, 'PUT', headers, { state }),
    read: (chat: string): Promise<unknown> =>
      callJson(`${base}/chats/${encodeURIComponent(chat)}/read`, 'POST', headers, {}),
    async subjectOf(group: string): Promise<string> {
      const path = `${base}/groups/${encodeURIComponent(group)}`;
      return (await callJson<{ group: { subject: string } }>(path, 'GET', headers)).group.subject;
    },
    /** The decrypted file of a message, as a stream. The path is built here: `media.url` may have a public name. */
    async media({ id, chat }: { readonly id: string; readonly chat: string }): Promise<Response> {
      const path = `/messages/${encodeURIComponent(id)}/media?chat=${encodeURIComponent(chat)}`;
      return checked(await fetch(base + path, { headers, signal: AbortSignal.timeout(mediaTimeoutMs) }));
    },
  };
};

export type HandsetClient = ReturnType<typeof handsetClient>;
