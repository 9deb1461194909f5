/** Decrypts several messages in one unit of work: one lock, one read of the store and one commit for all of them. */
import { hash } from 'node:crypto';
import type { SignalAuthState, SignalCreds } from '../engine/types.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import { decryptKnown, type SignalMessage } from './bridge.ts';
import type { SignalRecords, UnitOfWork } from './signal-records.ts';

/** A message of an open session, as its stanza carries it. */
export interface IncomingMessage extends SignalMessage {
  readonly jid: string;
}

/** The changes that go into the commit with a message. Null or an error: the message does not belong in a batch. */
export type ChangesOf<M extends IncomingMessage = IncomingMessage> = (
  message: M,
  plaintext: Uint8Array,
) => Pick<SessionChanges, 'keys' | 'messages' | 'messageChanges' | 'events' | 'contacts'> | null;

/**
 * Decrypts and commits messages from the front, up to the first that it cannot: one without a session, one that does not decrypt
 * (a redelivery, mostly), one that does not belong in a batch. That one and those behind it are left untouched.
 * Resolves with the number of messages that it has committed.
 */
export type DecryptBatch = <M extends IncomingMessage>(
  messages: readonly M[],
  changesOf: ChangesOf<M>,
) => Promise<number>;

/** Null for a message that does not belong in a batch: it is decrypted by itself next, which tells the reason. */
const decryptOne = async <M extends IncomingMessage>(
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  message: M,
  changesOf: ChangesOf<M>,
): Promise<SessionChanges | null> => {
  const before = unit.get('session', id);
  if (before === null) return null;
  try {
    const plaintext = await decryptKnown(unit, creds, id, message);
    const changes = plaintext === null ? null : changesOf(message, plaintext);
    if (changes !== null) {
      return { ...changes, inbox: [{ key: hash('sha256', message.ciphertext, 'hex'), plaintext: plaintext! }] };
    }
  } catch {
    // It says why when it is decrypted by itself.
  }
  unit.put('session', id, before);
  return null;
};

export const makeDecryptBatch =
  (auth: SignalAuthState, records: SignalRecords): DecryptBatch =>
  async (messages, changesOf) => {
    const { ids, recipients } = await records.resolveAll(messages);
    return records.holding([...recipients.keys()], async (unit) => {
      for (const address of recipients.values()) if (!records.isCurrent(address)) return 0;
      await unit.load('session', [...recipients.keys()]);
      const decrypted: SessionChanges[] = [];
      for (const message of messages) {
        const changes = await decryptOne(unit, auth.creds, ids.get(message.jid)!, message, changesOf);
        if (changes === null) break;
        decrypted.push(changes);
      }
      if (decrypted.length > 0)
        await records.commit(unit, decrypted.length === 1 ? decrypted[0]! : joinChanges(decrypted));
      return decrypted.length;
    });
  };
