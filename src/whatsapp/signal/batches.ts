/** Encrypts and decrypts several messages in one unit of work: one lock, one read of the store and one commit for all of them. */
import { hash } from 'node:crypto';
import type { SignalAuthState, SignalCreds } from '../engine/types.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import { decryptKnown, type SignalMessage, encryptFor, NoSession } from './bridge.ts';
import type { SignalRecords, UnitOfWork } from './signal-records.ts';
import type { SignalAddress } from './addresses.ts';
import { session } from './sessions.ts';

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

/** A plaintext for one device. */
export interface DevicePlaintext {
  readonly jid: string;
  readonly plaintext: Uint8Array;
}

interface EncryptedBatch {
  /** In the order of the plaintexts; null for a device that it cannot be encrypted for. */
  readonly encrypted: readonly (SignalMessage | null)[];
  /** Devices without a session. If there are any, and they are not left out, nothing is encrypted or committed. */
  readonly missing: readonly string[];
}

/**
 * Encrypts all, each device's in the order given, and commits the ratchets together with `changes` before it resolves. `lenient`
 * leaves out devices without a session.
 */
export type EncryptBatch = (
  plaintexts: readonly DevicePlaintext[],
  changes: SessionChanges,
  lenient: boolean,
) => Promise<EncryptedBatch>;

/**
 * Loads the sessions of all. False where the records have moved to a LID while the unit waited for their locks, or may still be
 * kept under the phone number, whose lock the unit does not hold: it is added to `ids`. Waiting for it while holding the others could deadlock.
 */
const load = async (
  records: SignalRecords,
  unit: UnitOfWork,
  recipients: ReadonlyMap<string, SignalAddress>,
  ids: Set<string>,
): Promise<boolean> => {
  for (const address of recipients.values()) if (!records.isCurrent(address)) return false;
  await unit.load('session', [...recipients.keys()]);
  const absent: SignalAddress[] = [];
  for (const [id, address] of recipients) if (unit.get('session', id) === null) absent.push(address);
  if (absent.length === 0) return true;
  const former = await Promise.all(absent.map((address) => records.formerId(session, address)));
  const unheld = former.filter((id) => id !== null && !unit.holds(id));
  for (const id of unheld) ids.add(id!);
  if (unheld.length > 0) return false;
  for (const address of absent) await records.load(unit, session, address);
  return true;
};

export const makeEncryptBatch =
  (auth: SignalAuthState, records: SignalRecords): EncryptBatch =>
  async (plaintexts, changes, lenient) => {
    const former = new Set<string>();
    for (;;) {
      const { ids, recipients } = await records.resolveAll(plaintexts);
      const batch = await records.holding([...recipients.keys(), ...former], async (unit) => {
        if (!(await load(records, unit, recipients, former))) return null;
        const encrypted: (SignalMessage | null)[] = [];
        const missing = new Set<string>();
        for (const { jid, plaintext } of plaintexts) {
          try {
            encrypted.push(await encryptFor(unit, auth.creds, ids.get(jid)!, plaintext));
          } catch (error) {
            // As in Baileys, one broken session keeps the message from none of the other devices.
            encrypted.push(null);
            if (error instanceof NoSession) missing.add(jid);
          }
        }
        if (missing.size > 0 && !lenient) return { encrypted: [], missing: [...missing] };
        await records.commit(unit, changes);
        return { encrypted, missing: [...missing] };
      });
      if (batch !== null) return batch;
    }
  };
