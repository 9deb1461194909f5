/** Messages on their way out in one unit of work: one lock, one look into the store and one commit for all of them. */
import type { SignalAuthState, SignalCreds } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import { type SignalAddress, sessionId } from './addresses.ts';
import { bridgeOf, type Sealed, sealedOnChain } from './bridge.ts';
import { session } from './sessions.ts';
import type { Unit } from './unit.ts';
import type { Units } from './units.ts';
import { hasOpenSession } from './wire.ts';

/** What one device is to get. */
export interface Open {
  readonly jid: string;
  readonly plaintext: Uint8Array;
}

export type { Sealed };

export interface Sealing {
  /** In the order of what was given; null for a device that it cannot be encrypted for. */
  readonly sealed: readonly (Sealed | null)[];
  /** Devices without a session: where there are any, nothing has happened. */
  readonly missing: readonly string[];
}

/**
 * Encrypts all, each device's in the order given, and commits the ratchets together with `changes` before it resolves.
 * `lenient`: devices without a session are left out.
 */
export type SealTogether = (open: readonly Open[], changes: SessionChanges, lenient: boolean) => Promise<Sealing>;

interface Recipient {
  readonly jid: string;
  readonly address: SignalAddress;
  /** Of the session's record. */
  readonly id: string;
}

/** Each device once, however many messages it is to get. */
const recipientsOf = async (units: Units, open: readonly Open[]): Promise<Recipient[]> => {
  const addresses = await units.resolveAll(open.map(({ jid }) => jid));
  return [...addresses].map(([jid, address]) => ({ jid, address, id: sessionId(address) }));
};

/**
 * Loads the records of all; the JIDs of those that have no open session. Null where a record may be kept under the phone number still, whose
 * lock the unit does not have: it is added to `names`. To wait for it with the others in hand could be to wait in a circle.
 */
const load = async (
  units: Units,
  unit: Unit,
  recipients: readonly Recipient[],
  names: Set<string>,
): Promise<string[] | null> => {
  await unit.load('session', [...new Set(recipients.map(({ id }) => id))]);
  const absent = recipients.filter(({ id }) => unit.get('session', id) === null);
  const former = await Promise.all(absent.map(({ address }) => units.formerId(session, address)));
  const unheld = former.filter((name) => name !== null && !unit.holds(name));
  if (unheld.length > 0) {
    for (const name of unheld) names.add(name!);
    return null;
  }
  const missing: string[] = [];
  for (const { jid, address, id } of recipients) {
    if (unit.get('session', id) === null) await units.load(unit, session, address);
    const record = unit.get('session', id);
    if (record === null || !hasOpenSession(record)) missing.push(jid);
  }
  return missing;
};

/** Encrypts one after the other in a unit that has the records. */
class Sealer {
  readonly #unit: Unit;
  readonly #creds: SignalCreds;
  /** How many were sealed in each session, of those of which all were sealed on its chain. */
  readonly #counts = new Map<string, number>();
  readonly #others = new Set<string>();

  constructor(unit: Unit, creds: SignalCreds) {
    this.#unit = unit;
    this.#creds = creds;
  }

  get onChain(): ReadonlyMap<string, number> {
    for (const id of this.#others) this.#counts.delete(id);
    return this.#counts;
  }

  async seal(id: string, plaintext: Uint8Array): Promise<Sealed | null> {
    const count = this.#counts.get(id) ?? 0;
    if (count === 0 && this.#unit.isChanged('session', id)) this.#others.add(id);
    const sealed = sealedOnChain(this.#unit, id, plaintext);
    if (sealed !== null) {
      this.#counts.set(id, count + 1);
      return sealed;
    }
    this.#others.add(id);
    const before = this.#unit.get('session', id);
    try {
      return await bridgeOf(this.#unit, this.#creds, id).encrypt(plaintext);
    } catch {
      // As Baileys does: one broken session keeps the message from none of the other devices.
      this.#unit.put('session', id, before);
      return null;
    }
  }
}

export const makeSealTogether =
  (auth: SignalAuthState, units: Units): SealTogether =>
  async (open, changes, lenient) => {
    const former = new Set<string>();
    for (;;) {
      const recipients = await recipientsOf(units, open);
      const ids = new Map(recipients.map(({ jid, id }) => [jid, id]));
      const names = new Set([...ids.values(), ...former]);
      const outcome = await units.holding([...names], async (unit): Promise<Sealing | null> => {
        // Whoever waited for the locks may find a record gone to the LID meanwhile.
        if (!recipients.every(({ address }) => units.isCurrent(address))) return null;
        const missing = await load(units, unit, recipients, former);
        if (missing === null) return null;
        if (missing.length > 0 && !lenient) return { sealed: [], missing };
        const sealer = new Sealer(unit, auth.creds);
        const sealed: (Sealed | null)[] = [];
        for (const { jid, plaintext } of open) {
          sealed.push(missing.includes(jid) ? null : await sealer.seal(ids.get(jid)!, plaintext));
        }
        await units.commitSealed(unit, sealer.onChain, changes);
        return { sealed, missing: [] };
      });
      if (outcome !== null) return outcome;
    }
  };
