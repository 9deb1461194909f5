/** Actions of a person on a phone: write, edit, revoke, react, vote, read. */
import { setImmediate } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { isGroup } from '../context/address.ts';
import { compose, namedOnWire, quoteOf, statusQuote, type Writing } from './compose.ts';
import {
  composeAnswer,
  composeComment,
  composeEdit,
  composeEventEdit,
  composePin,
  composePlainEdit,
  composeReaction,
  composeRevoke,
  composeSealedReaction,
  composeTimer,
  composeVote,
  type Position,
  sendMove,
} from './compose-changes.ts';
import { sendAlbum, sendInHd } from './series.ts';
import { type Message, type PhoneContext, type Withheld, messageId } from '../context/context.ts';
import { alter, assertOnline, deliver, openRoute, type RawMessage, sendRaw, shownOf } from './deliver.ts';
import type { ContextOptions } from '../kinds/context.ts';
import type { Attachment } from '../kinds/media.ts';
import type { EventPlan } from '../kinds/types.ts';
import { askForTimer } from '../context/requests.ts';
import { setTimer, applyChange, assertMayRevoke } from '../reading/apply-change.ts';
import type { Reading } from '../reading/read.ts';
import { type About, aboutMessage, type EventAnswer } from '../context/secrets.ts';
import { post } from './sending.ts';
import type { ViewMessage } from '../context/view.ts';
import { conflict, notFound } from '../../base/errors.ts';

export interface WriteOptions extends Omit<ContextOptions, 'quote'> {
  readonly quotedId: string | null;
  /** Number of messages; `{n}` in a text becomes the number of each. */
  readonly count: number;
  readonly withheld?: Withheld | null;
  readonly viewOnce?: boolean;
  /** The status post answered; `from` is its author's JID. */
  readonly quotedStatus?: { readonly id: string; readonly from: string; readonly text: string | null } | null;
}

/** Messages of a series between two requests for the device lists. */
const routeLife = 100;
/** Messages of a series between two turns of the event loop. */
const yieldEvery = 25;

const numbered = (writing: Writing, n: number): Writing =>
  writing.kind === 'text' ? { ...writing, text: writing.text.replaceAll('{n}', String(n)) } : writing;

export class Writer {
  readonly #phone: PhoneContext;
  readonly #mutex = new Mutex();

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  write(to: string, writing: Writing, options: WriteOptions): Promise<readonly string[]> {
    const { count, withheld = null } = options;
    return this.#mutex.runExclusive(async () => {
      const around = this.#around(to, options);
      const varies = writing.kind === 'text' && writing.text.includes('{n}');
      let message = await compose(numbered(writing, 1), this.#phone.media, around);
      let shown = await shownOf(this.#phone, message);
      let route = await openRoute(this.#phone, to);
      const ids: string[] = [];
      for (let n = 1; n <= count; n += 1) {
        if (n > 1 && varies) {
          message = await compose(numbered(writing, n), this.#phone.media, around);
          shown = await shownOf(this.#phone, message);
        }
        if (n % yieldEvery === 0) await setImmediate();
        if (n > 1 && n % routeLife === 1) route = await openRoute(this.#phone, to);
        ids.push(await deliver(this.#phone, { to, route, message, shown, withheld }));
      }
      return ids;
    });
  }

  writeAlbum(to: string, items: readonly Attachment[], options: WriteOptions): Promise<readonly string[]> {
    return this.#mutex.runExclusive(() => sendAlbum(this.#phone, to, items, this.#around(to, options)));
  }

  writeInHd(to: string, pair: Parameters<typeof sendInHd>[2], options: WriteOptions): Promise<readonly string[]> {
    return this.#mutex.runExclusive(() => sendInHd(this.#phone, to, pair, this.#around(to, options)));
  }

  writeRaw(to: string, message: RawMessage): Promise<string> {
    return this.#mutex.runExclusive(() => sendRaw(this.#phone, to, message));
  }

  timerOf(jid: string): number | null {
    const { timers, hub } = this.#phone;
    return timers.get(hub.findAccount(jid)?.jid ?? jid) ?? null;
  }

  setTimer(to: string, seconds: number): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (isGroup(to)) return this.#setGroupTimer(to, seconds);
      const route = await openRoute(this.#phone, to);
      const message = composeTimer(seconds);
      const shown = await shownOf(this.#phone, message);
      await deliver(this.#phone, { to, route, message, shown, withheld: null });
    });
  }

  async #setGroupTimer(group: string, seconds: number): Promise<void> {
    await askForTimer(this.#phone.line, group, seconds);
    setTimer(this.#phone, group, seconds);
  }

  pin(id: string, seconds: number | null): Promise<void> {
    return this.#mutex.runExclusive(() => {
      const message = this.#find(id);
      return alter(this.#phone, message, composePin(namedOnWire(this.#phone, message), seconds), '2');
    });
  }

  move(id: string, position: Position): Promise<void> {
    return this.#mutex.runExclusive(() => sendMove(this.#phone, this.#find(id), position));
  }

  comment(id: string, text: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const message = this.#find(id);
      const comment = composeComment(namedOnWire(this.#phone, message), text, this.#about(id));
      await this.#tell(message, comment, { kind: 'comment', id, text });
    });
  }

  /** `plain`: unsealed, as before May 2026. */
  edit(id: string, text: string, plain = false): Promise<void> {
    return this.#changeOwn(id, '1', (message) => {
      const caption = message.image?.caption ?? message.media?.caption ?? null;
      if (message.type !== 'text' && message.type !== 'image' && caption === null) {
        throw conflict('only a text or a caption can be edited');
      }
      return plain ? composePlainEdit(message, text) : composeEdit(message, text, this.#about(id));
    });
  }

  vote(id: string, options: readonly string[]): Promise<void> {
    return this.#mutex.runExclusive(() => {
      const poll = this.#find(id);
      if (poll.type !== 'poll') throw conflict('one votes in a poll');
      const known: unknown = poll.details?.['options'];
      const unknown = options.find((option) => !(Array.isArray(known) && known.includes(option)));
      if (unknown !== undefined) throw conflict(`the poll has no option ${unknown}`);
      const max = poll.poll?.maxAnswers ?? options.length;
      if (options.length > max) throw conflict(`the poll takes at most ${max} answers of a person`);
      const vote = composeVote(namedOnWire(this.#phone, poll), options, this.#about(id));
      return this.#tell(poll, vote, { kind: 'answer', id, answer: options });
    });
  }

  respond(id: string, answer: EventAnswer): Promise<void> {
    return this.#mutex.runExclusive(() => {
      const event = this.#find(id);
      if (event.type !== 'event') throw conflict('one responds to an event');
      const response = composeAnswer(namedOnWire(this.#phone, event), answer, this.#about(id));
      return this.#tell(event, response, { kind: 'answer', id, answer: [answer] });
    });
  }

  revoke(id: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const message = this.#find(id);
      if (message.revoked) throw conflict('the message was revoked');
      assertOnline(this.#phone);
      await assertMayRevoke(this.#phone, message);
      const revoke = composeRevoke(namedOnWire(this.#phone, message));
      await alter(this.#phone, message, revoke, message.fromMe ? '7' : '8');
    });
  }

  editEvent(id: string, event: EventPlan): Promise<void> {
    return this.#changeOwn(id, '1', (message) => {
      if (message.type !== 'event') throw conflict('the message is no event');
      return composeEventEdit(message, event, this.#about(id));
    });
  }

  react(id: string, emoji: string, encrypted = false): Promise<void> {
    return this.#mutex.runExclusive(() => {
      const message = this.#find(id);
      const named = namedOnWire(this.#phone, message);
      if (!encrypted) return alter(this.#phone, message, composeReaction(named, emoji), null);
      return alter(this.#phone, message, composeSealedReaction(named, emoji, this.#about(id)), null);
    });
  }

  read(id: string): Promise<void> {
    return this.#look(id, 'read');
  }

  play(id: string): Promise<void> {
    return this.#look(id, 'played');
  }

  #look(id: string, what: 'read' | 'played'): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const { hub, account, view, line, behaviour, appState, changed } = this.#phone;
      const message = this.#find(id);
      if (message.fromMe) throw conflict('one reads what others wrote');
      if (what === 'played' && message.type !== 'audio' && message.type !== 'video')
        throw conflict('only a recording or a video can be played');
      assertOnline(this.#phone);
      line.tell({
        tag: 'receipt',
        attrs: {
          id,
          to: hub.wireJid(account, message.chat),
          type: behaviour.readReceipts ? what : `${what}-self`,
          t: String(Math.floor(Date.now() / 1000)),
          ...(isGroup(message.chat) && { participant: message.from }),
        },
      });
      view.advance(id, what);
      if (appState.chat(message.chat).markedUnread) appState.setRead(message.chat, true);
      changed();
    });
  }

  #changeOwn(id: string, edit: string, make: (message: ViewMessage) => Message): Promise<void> {
    return this.#mutex.runExclusive(() => {
      const message = this.#find(id);
      if (!message.fromMe) throw conflict('one can change only what one wrote oneself');
      if (message.revoked) throw conflict('the message was revoked');
      return alter(this.#phone, message, make(namedOnWire(this.#phone, message)), edit);
    });
  }

  async #tell(target: ViewMessage, message: Message, reading: Reading): Promise<void> {
    const route = await openRoute(this.#phone, target.chat);
    await post(this.#phone, route, { id: messageId(), message, edit: null });
    applyChange(this.#phone, reading, this.#phone.account.jid);
    this.#phone.changed();
  }

  #around(
    to: string,
    { quotedId, quotedStatus, mentions, ...options }: WriteOptions,
  ): ContextOptions & { viewOnce?: boolean } {
    const { hub, account, timers } = this.#phone;
    return {
      ...options,
      ...(quotedId !== null && { quote: quoteOf(this.#phone, this.#find(quotedId)) }),
      ...(quotedStatus && { quote: statusQuote(this.#phone, quotedStatus) }),
      expiresInSeconds: options.expiresInSeconds ?? timers.get(hub.findAccount(to)?.jid ?? to) ?? null,
      mentions: mentions?.map((jid) => hub.wireJid(account, jid)) ?? null,
    };
  }

  #about(id: string): About {
    const about = aboutMessage(this.#phone, id, this.#phone.account.lid);
    if (about === null) throw conflict('the phone has no secret of this message');
    return about;
  }

  #find(id: string): ViewMessage {
    const message = this.#phone.view.find(id);
    if (message === null) throw notFound(`there is no message ${id} on this phone`);
    return message;
  }
}
