/** Encrypts several messages in one unit of work: one lock, one read of the store and one commit for all of them. */
import type { SignalAuthState, SignalCreds } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import { type SignalAddress, sessionId } from './addresses.ts';
import { bridgeOf, type SignalMessage } from './bridge.ts';
import { hasOpenSession } from './session-record.ts';
import { session } from './sessions.ts';
import type { SignalRecords } from './signal-records.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A plaintext for one device. */
export interface DevicePlaintext {
  readonly jid: string;
  readonly plaintext: Uint8Array;
}

export interface EncryptedBatch {
  /** In the order of the plaintexts; null for a device that it cannot be encrypted for. */
  readonly encrypted: readonly (SignalMessage | null)[];
  /** Devices without a session: if there are any, nothing was encrypted or committed. */
  readonly missing: readonly string[];
}

/**
 * Encrypts all, each device's in the order given, and commits the ratchets together with `changes` before it resolves.
 * `lenient`: devices without a session are left out.
 */
export type EncryptBatch = (
  plaintexts: readonly DevicePlaintext[],
  changes: SessionChanges,
  lenient: boolean,
) => Promise<EncryptedBatch>;

interface Recipient {
  readonly jid: string;
  readonly address: SignalAddress;
}

/**
 * Loads the sessions of all; resolves with the JIDs that have no open session. Null where a record may still be kept under the
 * phone number, whose lock the unit does not hold: it is added to `ids`. Waiting for it while holding the others could deadlock.
 */
const load = async (
  records: SignalRecords,
  unit: UnitOfWork,
  recipients: readonly Recipient[],
  ids: Set<string>,
): Promise<string[] | null> => {
  await unit.load('session', [...new Set(recipients.map(({ address }) => sessionId(address)))]);
  const absent = recipients.filter(({ address }) => unit.get('session', sessionId(address)) === null);
  const former = await Promise.all(absent.map(({ address }) => records.formerId(session, address)));
  const unheld = former.filter((id) => id !== null && !unit.holds(id));
  for (const id of unheld) ids.add(id!);
  if (unheld.length > 0) return null;
  for (const { address } of absent) await records.load(unit, session, address);
  return recipients.flatMap(({ jid, address }) => {
    const record = unit.get('session', sessionId(address));
    return record !== null && hasOpenSession(record) ? [] : [jid];
  });
};

/** Null where it fails, as in Baileys: one broken session keeps the message from none of the other devices. */
const encryptOne = async (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  plaintext: Uint8Array,
): Promise<SignalMessage | null> => {
  const before = unit.get('session', id);
  try {
    return await bridgeOf(unit, creds, id).encrypt(plaintext);
  } catch {
    unit.put('session', id, before);
    return null;
  }
};

export const makeEncryptBatch =
  (auth: SignalAuthState, records: SignalRecords): EncryptBatch =>
  async (plaintexts, changes, lenient) => {
    const former = new Set<string>();
    for (;;) {
      const addresses = await records.resolveAll(plaintexts.map(({ jid }) => jid));
      const recipients = [...addresses].map(([jid, address]) => ({ jid, address }));
      const ids = recipients.map(({ address }) => sessionId(address));
      const outcome = await records.holding([...ids, ...former], async (unit): Promise<EncryptedBatch | null> => {
        // While it waited for the locks, a record may have moved to the LID.
        if (!recipients.every(({ address }) => records.isCurrent(address))) return null;
        const missing = await load(records, unit, recipients, former);
        if (missing === null) return null;
        if (missing.length > 0 && !lenient) return { encrypted: [], missing };
        const encrypted: (SignalMessage | null)[] = [];
        for (const { jid, plaintext } of plaintexts) {
          const id = sessionId(addresses.get(jid)!);
          encrypted.push(missing.includes(jid) ? null : await encryptOne(unit, auth.creds, id, plaintext));
        }
        await records.commit(unit, changes);
        return { encrypted, missing: [] };
      });
      if (outcome !== null) return outcome;
    }
  };
