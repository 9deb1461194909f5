/**
 * Encrypts with the account's sender keys, and gives the key to devices that lack it. `group`: a group, or `status@broadcast`.
 *
 * Rule: a new sender key once a holder of the present one is no member any more. Source: whatsapp-rust #444 (2026-03-26) and #604 (2026-04-28),
 * after WhatsApp Web's `removeParticipantInfo` (`rotateKey`) and `deleteGroupSenderKeyInfo`; WhatsApp's encryption overview (2024-08: "whenever a
 * group member leaves, all group participants clear their Sender Key and start over"). Contested: whatsmeow (2026-08-21) and zapo (2026-08-19)
 * keep theirs.
 * A device, also an own one, counts as a holder once the network has accepted the message that carried the key to it (whatsapp-rust #999,
 * 2026-07-07, counts own ones earlier, and so repeats the key in each message).
 */
import { setImmediate } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import type { SessionChanges } from '../../domain/changes.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import { proto, writeRandomPadMax16 } from '../library/proto.ts';
import type { DeviceEntry } from '../identity/addressing.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { EncryptBatch } from '../signal/batches.ts';
import type { EncryptForGroup } from '../signal/groups.ts';
import { decodeKey, encodeKey } from '../signal/key-store.ts';
import { encryptForDevices } from './encrypt-for-devices.ts';
import type { BeginSessions } from './key-bundles.ts';

export interface SenderKeysParts {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'commit' | 'readKeys'>;
  readonly encrypt: EncryptBatch;
  readonly encryptForGroup: EncryptForGroup;
  readonly beginSessions: BeginSessions;
}

/** Devices a message carried a sender key to; the network may not have accepted it yet. */
export interface Distribution {
  /** All unconfirmed devices of one sender key. */
  readonly unconfirmed: Set<string>;
  readonly devices: readonly string[];
}

export interface EncryptedForDevice {
  readonly jid: string;
  readonly payload: SignalMessage;
}

export interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly key: Uint8Array;
  /** Devices that hold it; none if it is new. */
  readonly holders: ReadonlySet<string>;
}

export interface HandedOver {
  readonly keys: readonly EncryptedForDevice[];
  /** Devices without the key. */
  readonly lacking: readonly string[];
  readonly distribution: Distribution;
}

const memoryType = 'sender-key-memory';

const batchSize = 100;

/** Hosted devices have no part in groups (whatsmeow `prepareMessageNode`, send.go, 2026-08-21). */
export const takesSenderKeys = ({ server, device }: DeviceEntry): boolean =>
  !server.startsWith('hosted') && device !== 99;

const nobody: ReadonlySet<string> = new Set();

export class SenderKeys {
  readonly #parts: SenderKeysParts;
  /** By group, for its present sender key. */
  readonly #unconfirmed = new Map<Jid, Set<string>>();
  /** Held while a message is encrypted and its key given out. */
  readonly turn = new Mutex();

  constructor(parts: SenderKeysParts) {
    this.#parts = parts;
  }

  /** Commits the key's chain with `changes`. `meId`: the sending device, in the group's namespace. */
  async seal(
    group: Jid,
    { members, meId, data }: { readonly members: readonly Jid[]; readonly meId: string; readonly data: Uint8Array },
    changes: SessionChanges,
  ): Promise<Sealed> {
    const holders = await this.#holders(group, members);
    if (holders === null) this.#unconfirmed.delete(group);
    const plaintext = { group, meId, data, anew: holders === null };
    const { ciphertext, distribution } = await this.#parts.encryptForGroup(plaintext, changes);
    return { ciphertext, key: distribution, holders: holders ?? nobody };
  }

  /** Leaves out devices without a session whose keys the network does not give; those will request the message. */
  async handOver(group: Jid, { key, holders }: Sealed, devices: readonly string[]): Promise<HandedOver> {
    const lacking = devices.filter((jid) => !holders.has(jid));
    const keys = lacking.length === 0 ? [] : await this.#encryptKey(group, key, lacking);
    const unconfirmed = this.#unconfirmed.get(group) ?? new Set();
    this.#unconfirmed.set(group, unconfirmed);
    const reached = keys.map(({ jid }) => jid);
    for (const jid of reached) unconfirmed.add(jid);
    return { keys, lacking, distribution: { unconfirmed, devices: reached } };
  }

  /** The network has accepted it: its devices hold the sender key. */
  async taken(group: Jid, { unconfirmed, devices }: Distribution): Promise<void> {
    if (devices.length === 0) return;
    await this.turn.runExclusive(async () => {
      if (this.#unconfirmed.get(group) !== unconfirmed) return;
      const holders = (await this.#stored(group)) ?? {};
      for (const jid of devices) holders[jid] = true;
      await this.#write(group, holders);
      for (const jid of devices) unconfirmed.delete(jid);
    });
  }

  refused({ unconfirmed, devices }: Distribution): void {
    for (const jid of devices) unconfirmed.delete(jid);
  }

  /** The device could not read a message, so the next one carries the key again. */
  async forget(group: Jid, device: string): Promise<void> {
    await this.turn.runExclusive(async () => {
      this.#unconfirmed.get(group)?.delete(device);
      const holders = await this.#stored(group);
      if (holders?.[device] === undefined) return;
      delete holders[device];
      await this.#write(group, holders);
    });
  }

  async #stored(group: Jid): Promise<Record<string, boolean> | null> {
    const { store, deviceId } = this.#parts;
    const bytes = (await store.readKeys(deviceId, memoryType, [group])).get(group);
    return bytes === undefined ? null : { ...decodeKey(memoryType, bytes) };
  }

  async #write(group: Jid, holders: Record<string, boolean>): Promise<void> {
    const { store, deviceId } = this.#parts;
    const value = encodeKey(memoryType, holders);
    await store.commit(deviceId, { keys: [{ type: memoryType, id: group, value }] });
  }

  /** Devices that hold the present sender key; null: a new one is due. */
  async #holders(group: Jid, members: readonly Jid[]): Promise<ReadonlySet<string> | null> {
    const unconfirmed = this.#unconfirmed.get(group);
    const stored = await this.#stored(group);
    if (stored === null && (unconfirmed === undefined || unconfirmed.size === 0)) return null;
    const holders = new Set([...Object.keys(stored ?? {}), ...(unconfirmed ?? [])]);
    const users = new Set(members.map(jidUser));
    for (const jid of holders) if (!users.has(jidUser(jid))) return null;
    return holders;
  }

  async #encryptKey(
    groupId: Jid,
    axolotlSenderKeyDistributionMessage: Uint8Array,
    devices: readonly string[],
  ): Promise<readonly EncryptedForDevice[]> {
    const distribution = { groupId, axolotlSenderKeyDistributionMessage };
    const bytes = proto.Message.encode({ senderKeyDistributionMessage: distribution }).finish();
    const keys: EncryptedForDevice[] = [];
    for (let at = 0; at < devices.length; at += batchSize) {
      const batch = devices.slice(at, at + batchSize);
      const plaintexts = batch.map((jid) => ({ jid, plaintext: writeRandomPadMax16(bytes) }));
      const encrypted = await encryptForDevices(this.#parts, plaintexts);
      for (const [index, payload] of encrypted.entries()) {
        if (payload) keys.push({ jid: batch[index]!, payload });
      }
      // A large group must not delay the process's other devices.
      await setImmediate();
    }
    return keys;
  }
}
