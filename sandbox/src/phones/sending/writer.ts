/** Actions of a person on a phone: write, edit, revoke, react, vote, read. */
import { setImmediate } from 'node:timers/promises';
import { resolve } from '../address.ts';
import { compose, withSecret, type Writing } from './compose.ts';
import {
  composeAnswer,
  composeEdit,
  composePlainEdit,
  composeReaction,
  composeRevoke,
  composeSealedReaction,
  composeVote,
} from './compose-changes.ts';
import type { Message, PhoneContext, Withheld } from '../context.ts';
import type { ContextOptions } from '../kinds/context.ts';
import { messageId } from './ids.ts';
import { quoteOf } from './quote.ts';
import { read } from '../receiving/read.ts';
import { applyChange } from '../receiving/apply-change.ts';
import { type About, aboutMessage, type EventAnswer, unsealed } from './secrets.ts';
import { post, type Route, routeTo } from './sending.ts';
import type { Shown, ViewMessage } from '../view.ts';
import { conflict, notFound } from '../../errors.ts';

export interface WriteOptions extends Omit<ContextOptions, 'quote'> {
  readonly quotedId: string | null;
  /** Number of messages; `{n}` in a text becomes the number of each. */
  readonly count: number;
  readonly withheld?: Withheld | null;
  readonly viewOnce?: boolean;
}

/** The device lists are asked for anew after so many messages of a series. */
const routeLife = 100;
/** Others get their turn after so many. */
const yieldEvery = 25;

const numbered = (writing: Writing, n: number): Writing =>
  writing.kind === 'text' ? { ...writing, text: writing.text.replaceAll('{n}', String(n)) } : writing;

export class Writer {
  readonly #phone: PhoneContext;
  /** Messages leave in the order in which they were written. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  /** `to`: a JID. Resolves with the ids once the server has the messages. */
  write(to: string, writing: Writing, options: WriteOptions): Promise<readonly string[]> {
    const { count, withheld = null } = options;
    return this.#inTurn(async () => {
      const around = this.#around(options);
      const varies = writing.kind === 'text' && writing.text.includes('{n}');
      let message = await compose(numbered(writing, 1), this.#phone.media, around);
      let shown = await this.#shown(message);
      let route = await this.#route(to);
      const ids: string[] = [];
      for (let n = 1; n <= count; n += 1) {
        if (n > 1 && varies) {
          message = await compose(numbered(writing, n), this.#phone.media, around);
          shown = await this.#shown(message);
        }
        if (n % yieldEvery === 0) await setImmediate();
        if (n > 1 && n % routeLife === 1) route = await this.#route(to);
        ids.push(await this.#send(to, route, message, shown, withheld));
      }
      return ids;
    });
  }

  /** `plain`: not sealed, as before May 2026. */
  edit(id: string, text: string, plain = false): Promise<void> {
    return this.#changeOwn(id, '1', (message) => {
      const caption = message.image?.caption ?? message.media?.caption ?? null;
      if (message.type !== 'text' && message.type !== 'image' && caption === null) {
        throw conflict('only a text or a caption can be edited');
      }
      return plain ? composePlainEdit(message, text) : composeEdit(message, text, this.#about(id));
    });
  }

  /** Replaces an earlier vote; no option takes it back. */
  vote(id: string, options: readonly string[]): Promise<void> {
    return this.#inTurn(() => {
      const poll = this.#find(id);
      if (poll.type !== 'poll') throw conflict('one votes in a poll');
      const known: unknown = poll.details?.['options'];
      const unknown = options.find((option) => !(Array.isArray(known) && known.includes(option)));
      if (unknown !== undefined) throw conflict(`the poll has no option ${unknown}`);
      const most = poll.poll?.maxAnswers ?? options.length;
      if (options.length > most) throw conflict(`the poll takes at most ${most} answers of a person`);
      return this.#answer(poll, composeVote(this.#named(poll), options, this.#about(id)), options);
    });
  }

  respond(id: string, answer: EventAnswer): Promise<void> {
    return this.#inTurn(() => {
      const event = this.#find(id);
      if (event.type !== 'event') throw conflict('one responds to an event');
      return this.#answer(event, composeAnswer(this.#named(event), answer, this.#about(id)), [answer]);
    });
  }

  revoke(id: string): Promise<void> {
    return this.#changeOwn(id, '7', composeRevoke);
  }

  /** An empty `emoji` takes the reaction back. */
  react(id: string, emoji: string, encrypted = false): Promise<void> {
    return this.#inTurn(() => {
      const message = this.#find(id);
      const named = this.#named(message);
      if (!encrypted) return this.#alter(message, composeReaction(named, emoji), null);
      return this.#alter(message, composeSealedReaction(named, emoji, this.#about(id)), null);
    });
  }

  /** Opens the chat at a message: the sender gets a read receipt, if this phone gives any. */
  read(id: string): Promise<void> {
    return this.#look(id, 'read');
  }

  /** Listens to a voice message, or watches a video. */
  play(id: string): Promise<void> {
    return this.#look(id, 'played');
  }

  #look(id: string, what: 'read' | 'played'): Promise<void> {
    return this.#inTurn(async () => {
      const { hub, account, view, line, behaviour, changed } = this.#phone;
      const message = this.#find(id);
      if (message.fromMe) throw conflict('one reads what others wrote');
      if (what === 'played' && message.type !== 'audio' && message.type !== 'video')
        throw conflict('only a recording or a video can be played');
      this.#online();
      const isGroup = message.chat.endsWith('@g.us');
      line.tell({
        tag: 'receipt',
        attrs: {
          id,
          to: hub.wireJid(account, message.chat),
          type: behaviour.readReceipts ? what : `${what}-self`,
          t: String(Math.floor(Date.now() / 1000)),
          ...(isGroup && { participant: message.from }),
        },
      });
      view.advance(id, what);
      changed();
    });
  }

  #changeOwn(id: string, edit: string, make: (message: ViewMessage) => Message): Promise<void> {
    return this.#inTurn(() => {
      const message = this.#find(id);
      if (!message.fromMe) throw conflict('one can change only what one wrote oneself');
      if (message.revoked) throw conflict('the message was revoked');
      return this.#alter(message, make(this.#named(message)), edit);
    });
  }

  /** Sends a message about another one, and does to the own view what it does to everybody's. */
  async #alter(target: ViewMessage, message: Message, edit: string | null): Promise<void> {
    const route = await this.#route(target.chat);
    await post(this.#phone, route, { id: messageId(), message, edit });
    const { account } = this.#phone;
    applyChange(
      this.#phone,
      await read(unsealed(this.#phone, message, account.lid) ?? message, this.#phone),
      account.jid,
    );
    this.#phone.changed();
  }

  async #answer(target: ViewMessage, message: Message, answer: readonly string[]): Promise<void> {
    const route = await this.#route(target.chat);
    await post(this.#phone, route, { id: messageId(), message, edit: null });
    applyChange(this.#phone, { kind: 'answer', id: target.id, answer }, this.#phone.account.jid);
    this.#phone.changed();
  }

  #around({ quotedId, mentions, ...options }: WriteOptions): ContextOptions & { readonly viewOnce?: boolean } {
    const { hub, account } = this.#phone;
    return {
      ...options,
      quote: quotedId === null ? null : quoteOf(this.#phone, this.#find(quotedId)),
      mentions: mentions?.map((jid) => hub.wireJid(account, jid)) ?? null,
    };
  }

  #about(id: string): About {
    const about = aboutMessage(this.#phone, id, this.#phone.account.lid);
    if (about === null) throw conflict('the phone has no secret of this message');
    return about;
  }

  async #send(to: string, route: Route, message: Message, shown: Shown, withheld: Withheld | null): Promise<string> {
    const { account, hub, view, changed } = this.#phone;
    const id = messageId();
    view.add(shown, {
      id,
      chat: resolve(hub, to)?.account.jid ?? to,
      from: account.jid,
      fromMe: true,
      pushName: account.name,
      at: Date.now(),
      state: 'pending',
    });
    await post(this.#phone, route, { id, message: withSecret(message), edit: null, withheld });
    changed();
    return id;
  }

  #route(to: string): Promise<Route> {
    this.#online();
    return routeTo(this.#phone, to);
  }

  async #shown(message: Message): Promise<Shown> {
    const reading = await read(message, this.#phone);
    if (reading.kind !== 'shown') throw conflict('there is nothing to send');
    return reading.shown;
  }

  #online(): void {
    if (!this.#phone.line.isOpen) throw conflict('the phone is offline');
  }

  #find(id: string): ViewMessage {
    const message = this.#phone.view.find(id);
    if (message === null) throw notFound(`there is no message ${id} on this phone`);
    return message;
  }

  /**
   * A message as others name it in keys and quotes: people by LID once the account is migrated, as in the stanza around it (whatsmeow
   * `BuildMessageKey`, 2026-08-21, takes the chat's address in use).
   */
  #named(message: ViewMessage): ViewMessage {
    const { hub, account } = this.#phone;
    return { ...message, chat: hub.wireJid(account, message.chat), from: hub.wireJid(account, message.from) };
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
