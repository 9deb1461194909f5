/** Chatwoot's side of the bridge, played by its contract: it checks every request, keeps what it is told, and posts signed webhooks. */
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { breachOf, operationOf } from './chatwoot.contract.ts';
import {
  type PlayedContact,
  type PlayedConversation,
  type PlayedMessage,
  account,
  conversationShape,
  formOf,
  inbox,
  messageShape,
  read,
} from './chatwoot.records.ts';

const token = 'chatwoot-token';
const secret = 'chatwoot-secret';

export class PlayedChatwoot {
  readonly contacts: PlayedContact[] = [];
  readonly conversations: PlayedConversation[] = [];
  readonly messages: PlayedMessage[] = [];
  /** Requests that break the contract. */
  readonly breaches: string[] = [];
  /** Whether what it does for this request is done, and its answer does not arrive. */
  losesAnswer: (operation: string) => boolean = () => false;
  /** Why a message with this text and these files is refused for good, as Chatwoot refuses; null: it is not. */
  refusal: (content: string, files: readonly { readonly name: string }[]) => string | null = () => null;
  /** The webhook of the API inbox. */
  webhookUrl = '';
  #lastId = 10;
  #posts: Promise<void> = Promise.resolve();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get options() {
    return { url: this.url, token, account, inbox, secret, urlToken: null };
  }

  /** Messages of all conversations with this contact, notes included. */
  shown(name: string): readonly PlayedMessage[] {
    const ids = this.conversations.filter(({ contact }) => contact.name === name).map(({ id }) => id);
    return this.messages.filter(({ conversation }) => ids.includes(conversation));
  }

  conversationWith(name: string): PlayedConversation {
    const found = this.conversations.find(({ contact }) => contact.name === name);
    if (found === undefined) throw new Error(`no conversation with ${name}`);
    return found;
  }

  addContact(name: string, phoneNumber: string | null): PlayedContact {
    const contact = { id: this.#next(), name, phone_number: phoneNumber, identifier: null };
    this.contacts.push(contact);
    return contact;
  }

  /** A conversation that an agent begins: its source_id is of Chatwoot's making. */
  beginConversation(contact: PlayedContact): PlayedConversation {
    const conversation = { id: this.#next(), contact, sourceId: randomUUID(), status: 'open' };
    this.conversations.push(conversation);
    return conversation;
  }

  async agentWrites(
    conversation: PlayedConversation,
    content: string,
    more: Partial<Pick<PlayedMessage, 'files' | 'private' | 'content_attributes' | 'addressless' | 'encodedName'>> = {},
  ): Promise<PlayedMessage> {
    const message = this.#keep(conversation, { content, message_type: 'outgoing', ...more });
    await this.#hook({ event: 'message_created', ...this.#hookData(message) });
    return message;
  }

  async agentDeletes(message: PlayedMessage): Promise<void> {
    this.#erase(message);
    await this.#posts;
  }

  /** As the button beside a failed message does. */
  async agentRetries(message: PlayedMessage): Promise<void> {
    const { external_error: _error, ...attributes } = message.content_attributes;
    message.status = 'sent';
    message.content_attributes = attributes;
    await this.#hook({ event: 'message_updated', ...this.#hookData(message) });
  }

  agentTypes(conversation: PlayedConversation, on: boolean): Promise<void> {
    return this.#hook({
      event: on ? 'conversation_typing_on' : 'conversation_typing_off',
      user: { id: 1, name: 'Grace', email: 'grace@example.com', type: 'user' },
      conversation: conversationShape(conversation),
      is_private: false,
    });
  }

  async resolve(conversation: PlayedConversation): Promise<void> {
    conversation.status = 'resolved';
    await this.#hook({ event: 'conversation_status_changed', ...conversationShape(conversation) });
  }

  /** Posts as Chatwoot does, with the time and the secret that are given; answers the status. */
  async post(body: object, { at = Date.now(), key = secret } = {}): Promise<number> {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(at / 1000));
    const answer = await fetch(this.webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-chatwoot-delivery': randomUUID(),
        'x-chatwoot-timestamp': timestamp,
        'x-chatwoot-signature': `sha256=${createHmac('sha256', key).update(`${timestamp}.${text}`).digest('hex')}`,
      },
      body: text,
    });
    return answer.status;
  }

  async close(): Promise<void> {
    await this.#posts;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #next(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Webhooks leave one after the other, each once: what is not a 2xx marks the message as failed. */
  #hook(payload: { readonly event: string; readonly id?: unknown } & Record<string, unknown>): Promise<void> {
    this.#posts = this.#deliver(this.#posts, payload);
    return this.#posts;
  }

  async #deliver(earlier: Promise<void>, payload: { readonly event: string; readonly id?: unknown }): Promise<void> {
    await earlier;
    const status = await this.post(payload).catch(() => 0);
    const message = this.messages.find(({ id }) => id === payload.id);
    if ((status < 200 || status > 299) && payload.event.startsWith('message_') && message !== undefined)
      message.status = 'failed';
  }

  #hookData(message: PlayedMessage) {
    const conversation = this.conversations.find(({ id }) => id === message.conversation)!;
    return messageShape(message, conversation, this.url);
  }

  #keep(conversation: PlayedConversation, given: Partial<PlayedMessage>): PlayedMessage {
    const message: PlayedMessage = {
      id: this.#next(),
      conversation: conversation.id,
      createdAt: new Date().toISOString(),
      content: given.content ?? '',
      message_type: given.message_type ?? 'outgoing',
      private: given.private ?? false,
      source_id: given.source_id ?? null,
      content_attributes: given.content_attributes ?? {},
      status: 'sent',
      files: given.files ?? [],
      ...(given.addressless === undefined ? {} : { addressless: given.addressless }),
      ...(given.encodedName === undefined ? {} : { encodedName: given.encodedName }),
    };
    this.messages.push(message);
    if (message.message_type === 'incoming') conversation.status = 'open';
    return message;
  }

  #erase(message: PlayedMessage): void {
    message.content = 'This message was deleted';
    message.content_attributes = { deleted: true };
    void this.#hook({ event: 'message_updated', ...this.#hookData(message) });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/rails/')) return this.#file(pathname, response);
    const body = await read(request);
    const path = pathname.replace(`/api/v1/accounts/${account}`, '');
    const operation = operationOf(request.method ?? '', path);
    const type = request.headers['content-type'] ?? '';
    const isForm = type.startsWith('multipart/form-data');
    const { given, files } = isForm
      ? await formOf(body, type)
      : {
          given: body.length > 0 ? (JSON.parse(body.toString()) as object) : Object.fromEntries(searchParams),
          files: [],
        };
    const breach = breachOf(operation, given);
    if (breach !== null) this.breaches.push(breach);
    const { status, answer } =
      request.headers.api_access_token !== token
        ? { status: 401, answer: { error: 'Invalid Access Token' } }
        : this.#do(operation, path, { ...given, files });
    if (this.losesAnswer(operation)) return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  /** Active Storage: the address of a file redirects to the file. */
  #file(path: string, response: ServerResponse): void {
    const [, id = '', at = ''] = /\/(\d+)-(\d+)\//.exec(path) ?? [];
    if (path.includes('/redirect/')) {
      response.writeHead(302, { location: path.replace('/redirect/', '/disk/') }).end();
      return;
    }
    const file = this.messages.find((message) => message.id === Number(id))!.files[Number(at)]!;
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length }).end(file.bytes);
  }

  #do(operation: string, path: string, given: Record<string, unknown>): { status: number; answer: unknown } {
    const [first = 0, second = 0] = [...path.matchAll(/\/(\d+)/g)].map(([, id]) => Number(id));
    const conversation = this.conversations.find(({ id }) => id === first);
    const message = this.messages.find(({ id }) => id === second);
    const missing = { status: 404, answer: { error: 'Resource could not be found' } };
    const ok = (answer: unknown) => ({ status: 200, answer });
    if (operation === 'GET /contacts/search') {
      const fits = (value: string | null): boolean => value?.includes(String(given.q)) ?? false;
      const found = this.contacts.filter((one) => fits(one.name) || fits(one.phone_number) || fits(one.identifier));
      return ok({ meta: { count: found.length, current_page: 1 }, payload: found.slice(0, 15) });
    }
    if (operation === 'POST /contacts' || operation === 'PUT /contacts/{}') return this.#contact(first, given);
    if (operation === 'GET /contacts/{}/conversations') {
      const found = this.conversations.filter(({ contact }) => contact.id === first);
      return ok({ payload: found.map((one) => conversationShape(one)) });
    }
    if (operation === 'POST /conversations') {
      const contact = this.contacts.find(({ id }) => id === given.contact_id);
      if (contact === undefined) return missing;
      const made = { id: this.#next(), contact, sourceId: String(given.source_id), status: 'open' };
      this.conversations.push(made);
      return ok(conversationShape(made));
    }
    if (conversation === undefined) return missing;
    if (operation === 'GET /conversations/{}/messages') {
      const before = Number(given.before ?? Infinity);
      const all = this.messages.filter(({ conversation: one, id }) => one === first && id < before);
      return ok({ meta: {}, payload: all.slice(-20).map(({ id, source_id }) => ({ id, source_id })) });
    }
    if (operation === 'POST /conversations/{}/messages') {
      const { content = '', files = [] } = given as Partial<PlayedMessage>;
      const refusal = this.refusal(content, files);
      if (refusal !== null) return { status: 422, answer: { error: refusal } };
      const kept = this.#keep(conversation, given);
      void this.#hook({ event: 'message_created', ...this.#hookData(kept) });
      return ok({ id: kept.id, content: kept.content, source_id: kept.source_id });
    }
    if (message === undefined) return missing;
    if (operation.startsWith('DELETE')) this.#erase(message);
    else if (!(message.status === 'read' && given.status === 'delivered')) {
      const { status, external_error: error } = given as { status: string; external_error?: string };
      message.status = status;
      if (error !== undefined) message.content_attributes.external_error = error;
      void this.#hook({ event: 'message_updated', ...this.#hookData(message) });
    }
    return ok({ id: message.id });
  }

  #contact(id: number, given: Record<string, unknown>): { status: number; answer: unknown } {
    const { name, phone_number: phone, identifier } = given as Partial<PlayedContact>;
    const taken = this.contacts.some(
      (one) =>
        one.id !== id &&
        ((phone != null && one.phone_number === phone) || (identifier != null && one.identifier === identifier)),
    );
    if (taken) return { status: 422, answer: { message: 'Identifier has already been taken' } };
    const contact = this.contacts.find((one) => one.id === id) ?? this.addContact('', null);
    if (name !== undefined) contact.name = name;
    contact.phone_number = phone ?? contact.phone_number;
    contact.identifier = identifier ?? contact.identifier;
    return { status: 200, answer: { payload: { contact, contact_inbox: { inbox: { id: inbox }, source_id: '' } } } };
  }
}
