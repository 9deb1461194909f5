/** Encrypts and decrypts several messages in one unit of work: one lock, one read and one commit. */
import { hash } from 'node:crypto';
import type { SignalAuthState, SignalCreds } from '../library/types.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import { decryptKnown, type SignalMessage, encryptFor, groupBridgeOf, NoSession } from './bridge.ts';
import { senderKeyOf } from './groups.ts';
import {
  type RecordKind,
  sessionId,
  type SignalAddress,
  type SignalRecords,
  type UnitOfWork,
} from './signal-records.ts';
import { session } from './sessions.ts';

/** A message of an open session, or (with `group`) under a known sender key. */
export interface IncomingMessage {
  readonly type: SignalMessage['type'] | 'skmsg';
  readonly ciphertext: Uint8Array;
  readonly jid: string;
  readonly group?: string | undefined;
}

/** The changes to commit with a message, and what the inbox keeps instead of the plaintext. Null or an error: not for a batch. */
export type ChangesOf<M extends IncomingMessage = IncomingMessage> = (
  message: M,
  plaintext: Uint8Array,
) =>
  | (Pick<SessionChanges, 'keys' | 'messages' | 'messageChanges' | 'facts' | 'contacts'> & {
      readonly instead?: Uint8Array;
    })
  | null;

/** Commits messages up to the first without a session, undecryptable (a redelivery) or not for a batch. Returns their number. */
export type DecryptBatch = <M extends IncomingMessage>(
  messages: readonly M[],
  changesOf: ChangesOf<M>,
) => Promise<number>;

interface Place {
  readonly type: RecordKind['type'];
  readonly id: string;
}

/** Null: decrypted by itself next, which reveals the reason. */
const decryptOne = async <M extends IncomingMessage>(
  unit: UnitOfWork,
  creds: SignalCreds,
  { type, id }: Place,
  message: M,
  changesOf: ChangesOf<M>,
): Promise<SessionChanges | null> => {
  const before = unit.get(type, id);
  if (before === null) return null;
  try {
    const { type: sealed, ciphertext } = message;
    const plaintext =
      sealed === 'skmsg'
        ? await groupBridgeOf(unit, creds, id).decrypt(ciphertext)
        : await decryptKnown(unit, creds, id, { type: sealed, ciphertext });
    const changes = plaintext === null ? null : changesOf(message, plaintext);
    if (changes !== null) {
      const { instead = plaintext!, ...beside } = changes;
      return { ...beside, inbox: [{ key: hash('sha256', ciphertext, 'hex'), plaintext: instead }] };
    }
  } catch {
    // Decrypting it by itself reveals the reason.
  }
  unit.put(type, id, before);
  return null;
};

export const makeDecryptBatch =
  (auth: SignalAuthState, records: SignalRecords): DecryptBatch =>
  async (messages, changesOf) => {
    const addresses = new Map<string, SignalAddress>();
    const places: Place[] = [];
    const ids = { session: new Set<string>(), 'sender-key': new Set<string>() };
    for (const { jid, group } of messages) {
      const address = addresses.get(jid) ?? (await records.resolve(jid));
      addresses.set(jid, address);
      const { type, idOf } = group === undefined ? session : senderKeyOf(group);
      const place = { type, id: idOf(address) };
      places.push(place);
      ids[type].add(place.id);
    }
    return records.holding([...ids.session, ...ids['sender-key']], async (unit) => {
      for (const address of addresses.values()) if (!records.isCurrent(address)) return 0;
      for (const kind of ['session', 'sender-key'] as const)
        if (ids[kind].size > 0) await unit.load(kind, [...ids[kind]]);
      const read: SessionChanges[] = [];
      for (const [index, message] of messages.entries()) {
        const changes = await decryptOne(unit, auth.creds, places[index]!, message, changesOf);
        if (changes === null) break;
        read.push(changes);
      }
      if (read.length > 0) await unit.commit(read.length === 1 ? read[0]! : joinChanges(read));
      return read.length;
    });
  };

export interface DevicePlaintext {
  readonly jid: string;
  readonly plaintext: Uint8Array;
}

interface EncryptedBatch {
  /** In the order of the plaintexts; null for a device it could not be encrypted for. */
  readonly encrypted: readonly (SignalMessage | null)[];
  /** Devices without a session. If any, and not `lenient`, nothing is encrypted or committed. */
  readonly missing: readonly string[];
}

/** Encrypts each device's plaintexts in order, and commits the ratchets with `changes`. `lenient` leaves out devices without a session. */
export type EncryptBatch = (
  plaintexts: readonly DevicePlaintext[],
  changes: SessionChanges,
  lenient: boolean,
) => Promise<EncryptedBatch>;

/** False if records moved meanwhile, or may still be under a phone number whose lock is not held: it is added to `ids` for a retry. */
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
      const ids = new Map<string, string>();
      const recipients = new Map<string, SignalAddress>();
      for (const { jid } of plaintexts) {
        if (ids.has(jid)) continue;
        const address = await records.resolve(jid);
        ids.set(jid, sessionId(address));
        recipients.set(sessionId(address), address);
      }
      const batch = await records.holding([...recipients.keys(), ...former], async (unit) => {
        if (!(await load(records, unit, recipients, former))) return null;
        const encrypted: (SignalMessage | null)[] = [];
        const missing = new Set<string>();
        for (const { jid, plaintext } of plaintexts) {
          try {
            encrypted.push(await encryptFor(unit, auth.creds, ids.get(jid)!, plaintext));
          } catch (error) {
            // One broken session must not keep the message from other devices.
            encrypted.push(null);
            if (error instanceof NoSession) missing.add(jid);
          }
        }
        if (missing.size > 0 && !lenient) return { encrypted: [], missing: [...missing] };
        await unit.commit(changes);
        return { encrypted, missing: [...missing] };
      });
      if (batch !== null) return batch;
    }
  };
