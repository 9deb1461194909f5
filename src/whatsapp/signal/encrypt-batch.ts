/** Encrypts several messages in one unit of work: one lock, one read of the store and one commit for all of them. */
import type { SignalAuthState } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import { type SignalAddress, sessionId } from './addresses.ts';
import { bridgeOf, NoSession, type SignalMessage } from './bridge.ts';
import { session } from './sessions.ts';
import type { SignalRecords, UnitOfWork } from './signal-records.ts';

/** A plaintext for one device. */
export interface DevicePlaintext {
  readonly jid: string;
  readonly plaintext: Uint8Array;
}

export interface EncryptedBatch {
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
 * Loads the sessions of all. False where a record may still be kept under the phone number, whose lock the unit does not hold: it
 * is added to `ids`. Waiting for it while holding the others could deadlock.
 */
const load = async (
  records: SignalRecords,
  unit: UnitOfWork,
  addresses: readonly SignalAddress[],
  ids: Set<string>,
): Promise<boolean> => {
  await unit.load('session', addresses.map(sessionId));
  const absent = addresses.filter((address) => unit.get('session', sessionId(address)) === null);
  const former = await Promise.all(absent.map((address) => records.formerId(session, address)));
  const unheld = former.filter((id) => id !== null && !unit.holds(id));
  for (const id of unheld) ids.add(id!);
  if (unheld.length > 0) return false;
  for (const address of absent) await records.load(unit, session, address);
  return true;
};

const encryptAll = async (
  plaintexts: readonly DevicePlaintext[],
  encrypt: (plaintext: DevicePlaintext) => Promise<SignalMessage>,
): Promise<EncryptedBatch> => {
  const encrypted: (SignalMessage | null)[] = [];
  const missing = new Set<string>();
  for (const each of plaintexts) {
    try {
      encrypted.push(await encrypt(each));
    } catch (error) {
      // As in Baileys, one broken session keeps the message from none of the other devices.
      encrypted.push(null);
      if (error instanceof NoSession) missing.add(each.jid);
    }
  }
  return { encrypted, missing: [...missing] };
};

export const makeEncryptBatch =
  (auth: SignalAuthState, records: SignalRecords): EncryptBatch =>
  async (plaintexts, changes, lenient) => {
    const former = new Set<string>();
    for (;;) {
      const addresses = await records.resolveAll(plaintexts.map(({ jid }) => jid));
      const recipients = [...addresses.values()];
      const batch = await records.holding([...recipients.map(sessionId), ...former], async (unit) => {
        // While it waited for the locks, a record may have moved to the LID.
        if (!recipients.every((address) => records.isCurrent(address))) return null;
        if (!(await load(records, unit, recipients, former))) return null;
        const done = await encryptAll(plaintexts, ({ jid, plaintext }) =>
          bridgeOf(unit, auth.creds, sessionId(addresses.get(jid)!)).encrypt(plaintext),
        );
        if (done.missing.length > 0 && !lenient) return { encrypted: [], missing: done.missing };
        await records.commit(unit, changes);
        return done;
      });
      if (batch !== null) return batch;
    }
  };
