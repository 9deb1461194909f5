/**
 * Messages to groups: encrypted once with the account's sender key of the group, which each device of a member gets with the first message after it
 * came. Whose device has gone never gets another message: the next one is encrypted with another sender key, and all that stayed get that.
 *
 * Rule: another sender key where somebody who holds the present one is no member any more. Source: whatsapp-rust #444 (2026-03-26) and #604
 * (2026-04-28), after WhatsApp Web's `removeParticipantInfo` (`rotateKey`) and `deleteGroupSenderKeyInfo`; WhatsApp's encryption overview (2024-08:
 * "whenever a group member leaves, all group participants clear their Sender Key and start over"). Contested: whatsmeow (2026-08-21) and zapo
 * (2026-08-19) keep theirs, Baileys rc14 too. A device counts as a holder once the network has taken the message that carried the key to it; own
 * devices, too (whatsapp-rust #999, 2026-07-07, gives them the key with each message, because it counts before).
 * `phash`: whatsmeow `sendGroup`, zapo; the network answers with its own where the lists differ, and both are asked for again.
 */
import { setImmediate } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { memberJids } from '../../domain/groups/changes.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto, writeRandomPadMax16 } from '../engine/proto.ts';
import { getMessageReportingToken } from '../engine/baileys.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { type DeviceEntry, deviceJid, type DeviceLists, type FanOut } from '../identity/addressing.ts';
import { participantHash } from '../identity/hashes.ts';
import { meOf } from '../identity/account.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { EncryptBatch } from '../signal/batches.ts';
import type { EncryptForGroup } from '../signal/groups.ts';
import { decodeKey, encodeKey } from '../signal/key-codec.ts';
import type { BeginSessions } from './key-bundles.ts';
import { deviceIdentity, encNode, shapeOf } from './message-stanza.ts';

export interface GroupSendsParts {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit' | 'readKeys'>;
  readonly devices: Pick<DeviceLists, 'of'>;
  readonly groupOf: (group: Jid) => Promise<KeptGroup>;
  readonly encrypt: EncryptBatch;
  readonly encryptForGroup: EncryptForGroup;
  readonly beginSessions: BeginSessions;
}

/** The devices that a message took a sender key to; the network may not have taken the message yet. */
export interface Distribution {
  /** All that are so, of one sender key. */
  readonly unconfirmed: Set<string>;
  readonly devices: readonly string[];
}

/** An outbound message, as it is followed here. */
export interface GroupMessage {
  readonly to: Jid;
  readonly message: proto.IMessage;
  readonly record: MessageRecord & { readonly content: Uint8Array };
  stored: boolean;
  sentTo?: FanOut;
  distribution?: Distribution;
}

interface EncryptedForDevice {
  readonly jid: string;
  readonly payload: SignalMessage;
}

interface Encrypted {
  readonly ciphertext: Uint8Array;
  /** The sender key for those devices that do not hold it. */
  readonly keys: readonly EncryptedForDevice[];
}

const memoryType = 'sender-key-memory';

/** Sessions that are written, and keys that are asked for, at a time. */
const batchSize = 100;

/** Hosted devices have no part in groups (whatsmeow `prepareMessageNode`, send.go, 2026-08-21; Baileys rc14). */
const takesSenderKeys = ({ server, device }: DeviceEntry): boolean => !server.startsWith('hosted') && device !== 99;

export class GroupSends {
  readonly #parts: GroupSendsParts;
  /** Devices by group, of its present sender key. */
  readonly #unconfirmed = new Map<Jid, Set<string>>();
  readonly #turn = new Mutex();

  constructor(parts: GroupSendsParts) {
    this.#parts = parts;
  }

  /** The stanza of a message, with all that it promises written. */
  async prepare(outbound: GroupMessage): Promise<BinaryNode> {
    const { creds, groupOf, devices: lists } = this.#parts;
    const group = await groupOf(outbound.to);
    const members = memberJids(group);
    const devices = (await lists.of(members)).flat().filter(takesSenderKeys).map(deviceJid);
    const { phone, lid } = meOf(creds);
    const byLid = group.addressing === 'lid' && lid !== null;
    const meId = (byLid ? creds.me?.lid : creds.me?.id) ?? phone;
    outbound.sentTo = {
      wire: { to: outbound.to, peerPhone: null, own: byLid ? lid : phone },
      own: [],
      recipients: devices,
    };
    const encrypted = await this.#turn.runExclusive(async () => {
      const holders = await this.#holders(outbound.to, members);
      return this.#encrypt(outbound, meId, devices, holders);
    });
    return this.#stanza(outbound, group, encrypted, participantHash(devices, meId));
  }

  /** The network has taken it: its devices hold the sender key. */
  async taken({ to, distribution }: GroupMessage): Promise<void> {
    if (distribution === undefined) return;
    const { unconfirmed, devices } = distribution;
    await this.#turn.runExclusive(async () => {
      // The sender key may be another one since.
      if (this.#unconfirmed.get(to) !== unconfirmed) return;
      const holders = (await this.#stored(to)) ?? {};
      for (const jid of devices) holders[jid] = true;
      await this.#write(to, holders);
      for (const jid of devices) unconfirmed.delete(jid);
    });
  }

  /** It has reached nobody. */
  refused({ distribution }: GroupMessage): void {
    for (const jid of distribution?.devices ?? []) distribution?.unconfirmed.delete(jid);
  }

  /** A device could not read a message: the next one brings it the sender key again. */
  async forget(group: Jid, device: string): Promise<void> {
    await this.#turn.runExclusive(async () => {
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

  /** Devices that hold the present sender key; null where another one is due. */
  async #holders(group: Jid, members: readonly Jid[]): Promise<ReadonlySet<string> | null> {
    const unconfirmed = this.#unconfirmed.get(group);
    const stored = await this.#stored(group);
    if (stored === null && (unconfirmed === undefined || unconfirmed.size === 0)) return null;
    const holders = new Set([...Object.keys(stored ?? {}), ...(unconfirmed ?? [])]);
    const users = new Set(members.map(jidUser));
    for (const jid of holders) if (!users.has(jidUser(jid))) return null;
    return holders;
  }

  async #encrypt(
    outbound: GroupMessage,
    meId: string,
    devices: readonly string[],
    holders: ReadonlySet<string> | null,
  ): Promise<Encrypted> {
    const { encryptForGroup } = this.#parts;
    const { to: group, record } = outbound;
    const anew = holders === null;
    if (anew) this.#unconfirmed.delete(group);
    const changes = outbound.stored ? {} : { messages: [record] };
    const data = writeRandomPadMax16(record.content);
    const { ciphertext, distribution } = await encryptForGroup({ group, meId, data, anew }, changes);
    outbound.stored = true;
    const lacking = anew ? devices : devices.filter((jid) => !holders.has(jid));
    if (lacking.length === 0) return { ciphertext, keys: [] };
    const keys = await this.#distribute(group, distribution, lacking);
    const reached = keys.map(({ jid }) => jid);
    if (reached.length === 0 && lacking.length === devices.length) {
      throw new Error('the message could be encrypted for no member of the group');
    }
    const unconfirmed = this.#unconfirmed.get(group) ?? new Set();
    this.#unconfirmed.set(group, unconfirmed);
    for (const jid of reached) unconfirmed.add(jid);
    outbound.distribution = { unconfirmed, devices: reached };
    return { ciphertext, keys };
  }

  /** A device that there is no session with, and whose keys the network does not give, is left out, and asks for the message. */
  async #distribute(
    groupId: Jid,
    axolotlSenderKeyDistributionMessage: Uint8Array,
    devices: readonly string[],
  ): Promise<Encrypted['keys']> {
    const { encrypt, beginSessions } = this.#parts;
    const distribution = { groupId, axolotlSenderKeyDistributionMessage };
    const bytes = proto.Message.encode({ senderKeyDistributionMessage: distribution }).finish();
    const keys: EncryptedForDevice[] = [];
    for (let at = 0; at < devices.length; at += batchSize) {
      const batch = devices.slice(at, at + batchSize);
      const plaintexts = batch.map((jid) => ({ jid, plaintext: writeRandomPadMax16(bytes) }));
      let { encrypted, missing } = await encrypt(plaintexts, {}, false);
      if (missing.length > 0) {
        await beginSessions(missing);
        ({ encrypted } = await encrypt(plaintexts, {}, true));
      }
      for (const [index, payload] of encrypted.entries()) {
        if (payload) keys.push({ jid: batch[index]!, payload });
      }
      // A large group holds up no other device of this process.
      await setImmediate();
    }
    return keys;
  }

  async #stanza(
    { to, message, record, sentTo }: GroupMessage,
    { addressing, expiresInSeconds }: KeptGroup,
    { ciphertext, keys }: Encrypted,
    phash: string,
  ): Promise<BinaryNode> {
    const { creds } = this.#parts;
    const { id } = record;
    const { type, enc, edit, meta } = shapeOf(message);
    const content: BinaryNode[] = [{ tag: 'enc', attrs: { v: '2', type: 'skmsg', ...enc }, content: ciphertext }];
    const participants = keys.map(({ jid, payload }) => ({
      tag: 'to',
      attrs: { jid },
      content: [encNode(payload, enc)],
    }));
    if (participants.length > 0) content.push({ tag: 'participants', attrs: {}, content: participants });
    if (keys.some(({ payload }) => payload.type === 'pkmsg')) content.push(...deviceIdentity(creds));
    const names = { fromMe: true, remoteJid: sentTo!.wire.own, participant: to };
    const reporting = await getMessageReportingToken(Buffer.from(record.content), message, { id, ...names });
    if (reporting !== null) content.push(reporting);
    content.push(...meta);
    const timer = expiresInSeconds === null ? {} : { expiration: String(expiresInSeconds) };
    const mode = { addressing_mode: addressing === 'lid' ? 'lid' : 'pn' };
    return { tag: 'message', attrs: { id, to, type, ...edit, ...timer, phash, ...mode }, content };
  }
}
