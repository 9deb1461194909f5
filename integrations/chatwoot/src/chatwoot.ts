/** What the bridge asks of Chatwoot's application API, and what Chatwoot posts. */
import { callJson, checked, parse } from './http.ts';

export interface Contact {
  readonly id: number;
  readonly name: string | null;
  readonly phone_number: string | null;
  readonly identifier: string | null;
}

export interface Conversation {
  readonly id: number;
  readonly inbox_id: number;
  readonly status: string;
}

export interface StoredMessage {
  readonly id: number;
  readonly source_id: string | null;
}

export interface Attachment {
  readonly file_type: string;
  readonly data_url?: string;
  readonly coordinates_lat?: number;
  readonly coordinates_long?: number;
  readonly fallback_title?: string | null;
}

interface HookedConversation {
  readonly id: number;
  readonly inbox_id: number;
  readonly status?: string;
  readonly contact_inbox?: { readonly source_id?: string | null } | null;
  readonly meta?: {
    readonly sender?: { readonly phone_number?: string | null; readonly identifier?: string | null } | null;
  };
}

/** A message in Chatwoot's webhooks, which have its fields beside `event`. */
export interface HookedMessage {
  readonly event: 'message_created' | 'message_updated';
  readonly id: number;
  readonly content: string | null;
  readonly created_at: string;
  readonly message_type: string;
  readonly private?: boolean;
  readonly source_id?: string | null;
  readonly content_attributes?: {
    readonly deleted?: boolean;
    readonly in_reply_to?: number | null;
    readonly external_error?: string | null;
  } | null;
  readonly attachments?: readonly Attachment[];
  readonly conversation: HookedConversation;
  readonly inbox: { readonly id: number };
  readonly account: { readonly id: number };
}

export type Hook =
  | HookedMessage
  | {
      readonly event: 'conversation_typing_on' | 'conversation_typing_off';
      readonly is_private?: boolean;
      readonly user?: { readonly type?: string };
      readonly conversation: HookedConversation;
    }
  | ({ readonly event: 'conversation_status_changed' } & HookedConversation);

export interface NewMessage {
  readonly content: string;
  readonly message_type: 'incoming' | 'outgoing';
  readonly private?: boolean;
  readonly source_id: string;
  readonly content_attributes?: { readonly in_reply_to: number };
}

export interface NewFile {
  readonly blob: Blob;
  readonly name: string;
}

interface Options {
  readonly url: string;
  readonly token: string;
  readonly account: number;
  readonly inbox: number;
}

/** Uploads take as long as files are large. */
const uploadTimeoutMs = 600_000;

/** A client of one inbox. */
export const chatwootClient = ({ url, token, account, inbox }: Options) => {
  const base = `${url}/api/v1/accounts/${account}`;
  const headers = { api_access_token: token };
  const call = <T>(method: string, path: string, body?: object): Promise<T> =>
    callJson<T>(base + path, method, headers, body);
  return {
    inbox,
    async search(query: string): Promise<readonly Contact[]> {
      return (await call<{ payload: readonly Contact[] }>('GET', `/contacts/search?q=${encodeURIComponent(query)}`))
        .payload;
    },
    async createContact(contact: Partial<Omit<Contact, 'id'>>): Promise<Contact> {
      return (await call<{ payload: { contact: Contact } }>('POST', '/contacts', { inbox_id: inbox, ...contact }))
        .payload.contact;
    },
    updateContact: (id: number, change: Partial<Omit<Contact, 'id'>>): Promise<unknown> =>
      call('PUT', `/contacts/${id}`, change),
    async conversationsOf(contact: number): Promise<readonly Conversation[]> {
      return (
        await call<{ payload: readonly Conversation[] }>('GET', `/contacts/${contact}/conversations`)
      ).payload.filter((one) => one.inbox_id === inbox);
    },
    async createConversation(contact: number, sourceId: string): Promise<Conversation> {
      const body = { inbox_id: inbox, contact_id: contact, source_id: sourceId, status: 'open' };
      return call<Conversation>('POST', '/conversations', body);
    },
    /** The newest 20, or the 20 before one. */
    async messages(conversation: number, before?: number): Promise<readonly StoredMessage[]> {
      const query = before === undefined ? '' : `?before=${before}`;
      return (
        await call<{ payload: readonly StoredMessage[] }>('GET', `/conversations/${conversation}/messages${query}`)
      ).payload;
    },
    async post(conversation: number, message: NewMessage, file: NewFile | null = null): Promise<number> {
      const path = `/conversations/${conversation}/messages`;
      if (file === null) return (await call<StoredMessage>('POST', path, message)).id;
      const form = new FormData();
      for (const [name, value] of Object.entries(message))
        form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
      form.append('attachments[]', file.blob, file.name);
      const signal = AbortSignal.timeout(uploadTimeoutMs);
      const answer = await checked(await fetch(base + path, { method: 'POST', headers, body: form, signal }));
      return parse<StoredMessage>(await answer.text()).id;
    },
    setStatus: (conversation: number, message: number, status: string, error?: string): Promise<unknown> =>
      call('PATCH', `/conversations/${conversation}/messages/${message}`, {
        status,
        ...(error === undefined ? {} : { external_error: error }),
      }),
    delete: (conversation: number, message: number): Promise<unknown> =>
      call('DELETE', `/conversations/${conversation}/messages/${message}`),
  };
};

export type ChatwootClient = ReturnType<typeof chatwootClient>;
