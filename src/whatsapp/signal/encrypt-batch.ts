/** Encrypts several messages in one unit of work: one lock, one read of the store and one commit for all of them. */
import type { SignalAuthState } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { SignalAddress } from './addresses.ts';
import { encryptFor, NoSession, type SignalMessage } from './bridge.ts';
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
