/** Several messages in one unit of work: one lock, one look into the store and one commit for all of them. */
import { hash } from 'node:crypto';
import type { SignalAuthState } from 'baileys';
import type { InboxRow, SessionChanges } from '../../domain/changes.ts';
import { sessionId } from './addresses.ts';
import { bridgeOf } from './bridge.ts';
import type { Unit } from './unit.ts';
import type { Units } from './units.ts';

/** A message of an open session, as its stanza carries it. */
export interface Enclosed {
  readonly jid: string;
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

/** What goes into the commit with a message; null or an error: it is not one for this way. */
export type ChangesOf = (message: Enclosed, plaintext: Uint8Array) => PlainChanges | null;

type PlainChanges = Pick<SessionChanges, 'keys' | 'messages' | 'messageChanges' | 'events'>;

/**
 * Reads and commits messages from the front, up to the first that it cannot: one without a session, one that does not
 * decrypt (a redelivery, mostly), one that is something else. Of that one and of those behind it nothing has happened.
 */
export type ReadTogether = (messages: readonly Enclosed[], changesOf: ChangesOf) => Promise<number>;

interface Read {
  readonly changes: PlainChanges;
  readonly inbox: InboxRow;
}

const merged = (all: readonly Read[]): SessionChanges => ({
  keys: all.flatMap(({ changes }) => changes.keys ?? []),
  messages: all.flatMap(({ changes }) => changes.messages ?? []),
  messageChanges: all.flatMap(({ changes }) => changes.messageChanges ?? []),
  events: all.flatMap(({ changes }) => changes.events ?? []),
  inbox: all.map(({ inbox }) => inbox),
});

export const makeReadTogether = (auth: SignalAuthState, units: Units): ReadTogether => {
  const read = async (unit: Unit, id: string, message: Enclosed, changesOf: ChangesOf): Promise<Read | null> => {
    const before = unit.get('session', id);
    if (before === null) return null;
    try {
      const plaintext = await bridgeOf(unit, auth.creds, id).decryptKnown(message.type, message.ciphertext);
      const changes = changesOf(message, plaintext);
      if (changes !== null) return { changes, inbox: { key: hash('sha256', message.ciphertext, 'hex'), plaintext } };
    } catch {
      // Whoever reads it by itself finds out why.
    }
    unit.put('session', id, before);
    return null;
  };

  return async (messages, changesOf) => {
    const resolved = await units.resolveAll(messages.map(({ jid }) => jid));
    const addresses = [...resolved.values()];
    const ids = messages.map(({ jid }) => sessionId(resolved.get(jid)!));
    const names = [...new Set(ids)];
    return units.holding(names, async (unit) => {
      if (!addresses.every((address) => units.isCurrent(address))) return 0;
      await unit.load('session', names);
      const done: Read[] = [];
      for (const [index, message] of messages.entries()) {
        const one = await read(unit, ids[index]!, message, changesOf);
        if (one === null) break;
        done.push(one);
      }
      if (done.length > 0) await units.commit(unit, merged(done));
      return done.length;
    });
  };
};
