/** Several messages in one unit of work: one lock, one look into the store and one commit for all of them. */
import { hash } from 'node:crypto';
import type { SignalAuthState, SignalCreds } from '../engine/types.ts';
import type { InboxRow, KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { MessageChange, MessageRecord } from '../../domain/message.ts';
import { sessionId } from './addresses.ts';
import { bridgeOf } from './bridge.ts';
import { ChainReader } from './on-chain.ts';
import type { Unit } from './unit.ts';
import type { Units } from './units.ts';

/** A message of an open session, as its stanza carries it. */
export interface Enclosed {
  readonly jid: string;
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

/** What goes into the commit with a message; null or an error: it is not one for this way. */
export type ChangesOf<M extends Enclosed = Enclosed> = (message: M, plaintext: Uint8Array) => PlainChanges | null;

type PlainChanges = Pick<SessionChanges, 'keys' | 'messages' | 'messageChanges' | 'events'>;

/**
 * Reads and commits messages from the front, up to the first that it cannot: one without a session, one that does not
 * decrypt (a redelivery, mostly), one that is something else. Of that one and of those behind it nothing has happened.
 */
export type ReadTogether = <M extends Enclosed>(messages: readonly M[], changesOf: ChangesOf<M>) => Promise<number>;

/** What is read of the messages so far, and from which sessions. */
class Reading<M extends Enclosed> {
  readonly #unit: Unit;
  readonly #creds: SignalCreds;
  readonly #changesOf: ChangesOf<M>;
  /** The sessions with messages on chains that are there, by their id. */
  readonly #readers = new Map<string, ChainReader>();
  readonly #changes = {
    keys: new Array<KeyChange>(),
    messages: new Array<MessageRecord>(),
    messageChanges: new Array<MessageChange>(),
    events: new Array<NewEvent>(),
    inbox: new Array<InboxRow>(),
  };

  constructor(unit: Unit, creds: SignalCreds, changesOf: ChangesOf<M>) {
    this.#unit = unit;
    this.#creds = creds;
    this.#changesOf = changesOf;
  }

  /** At once where nothing but the chain is needed. False: it is not one for this way, and nothing has happened. */
  read(id: string, message: M): boolean | Promise<boolean> {
    const reader = this.#readerOf(id);
    if (reader === null) return false;
    try {
      const plaintext = reader.open(message.type, message.ciphertext);
      if (plaintext === null) return this.#readByBridge(id, message);
      if (!this.#take(message, plaintext)) return false;
      reader.keep();
      return true;
    } catch {
      // Whoever reads it by itself finds out why.
      return false;
    }
  }

  /** Puts the sessions into the unit as they are now. */
  settled(): SessionChanges {
    for (const id of this.#readers.keys()) this.#settle(id);
    return this.#changes;
  }

  #readerOf(id: string): ChainReader | null {
    const known = this.#readers.get(id);
    if (known !== undefined) return known;
    const record = this.#unit.get('session', id);
    if (record === null) return null;
    const reader = new ChainReader(record);
    this.#readers.set(id, reader);
    return reader;
  }

  #settle(id: string): void {
    const reader = this.#readers.get(id);
    if (reader?.hasMoved === true) this.#unit.put('session', id, reader.record);
    this.#readers.delete(id);
  }

  async #readByBridge(id: string, message: M): Promise<boolean> {
    this.#settle(id);
    const before = this.#unit.get('session', id);
    try {
      const plaintext = await bridgeOf(this.#unit, this.#creds, id).decryptKnown(message.type, message.ciphertext);
      if (this.#take(message, plaintext)) return true;
    } catch {
      // As above.
    }
    this.#unit.put('session', id, before);
    return false;
  }

  #take(message: M, plaintext: Uint8Array): boolean {
    const changes = this.#changesOf(message, plaintext);
    if (changes === null) return false;
    const { keys, messages, messageChanges, events, inbox } = this.#changes;
    inbox.push({ key: hash('sha256', message.ciphertext, 'hex'), plaintext });
    if (changes.keys !== undefined) keys.push(...changes.keys);
    if (changes.messages !== undefined) messages.push(...changes.messages);
    if (changes.messageChanges !== undefined) messageChanges.push(...changes.messageChanges);
    if (changes.events !== undefined) events.push(...changes.events);
    return true;
  }
}

export const makeReadTogether =
  (auth: SignalAuthState, units: Units): ReadTogether =>
  async (messages, changesOf) => {
    const resolved = await units.resolveAll(messages.map(({ jid }) => jid));
    const addresses = [...resolved.values()];
    const ids = messages.map(({ jid }) => sessionId(resolved.get(jid)!));
    const names = [...new Set(ids)];
    return units.holding(names, async (unit) => {
      if (!addresses.every((address) => units.isCurrent(address))) return 0;
      await unit.load('session', names);
      const reading = new Reading(unit, auth.creds, changesOf);
      let done = 0;
      for (const message of messages) {
        const outcome = reading.read(ids[done]!, message);
        if (!(typeof outcome === 'boolean' ? outcome : await outcome)) break;
        done += 1;
      }
      if (done > 0) await units.commit(unit, reading.settled());
      return done;
    });
  };
