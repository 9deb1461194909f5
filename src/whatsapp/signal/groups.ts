/** Sender keys: one member's messages to a group, encrypted once for everybody. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { SignalAuthState } from '../library/types.ts';
import type { proto } from '../library/proto.ts';
import { groupBridgeOf } from './bridge.ts';
import type { OnPlaintext, Receive } from './inbox.ts';
import { type RecordKind, type SignalRecords, senderKeyId } from './signal-records.ts';

interface OwnSenderKey {
  readonly group: string;
  readonly meId: string;
}

interface ToldSenderKey {
  readonly authorJid: string;
  readonly item: proto.Message.ISenderKeyDistributionMessage;
}

interface GroupOperations {
  decryptGroupMessage(
    message: { readonly group: string; readonly authorJid: string; readonly msg: Uint8Array },
    onPlaintext?: OnPlaintext,
  ): Promise<Uint8Array>;
  processSenderKeyDistributionMessage(told: ToldSenderKey): Promise<void>;
  getSenderKeyDistributionMessage(key: OwnSenderKey): Promise<Uint8Array>;
  hasSenderKey(key: OwnSenderKey): Promise<boolean>;
}

export interface GroupPlaintext extends OwnSenderKey {
  readonly data: Uint8Array;
  readonly anew: boolean;
}

export interface GroupCiphertext {
  readonly ciphertext: Uint8Array;
  readonly distribution: Uint8Array;
}

/** Encrypts for all holders of the sender key, and commits its chain with `changes` before it resolves. */
export type EncryptForGroup = (plaintext: GroupPlaintext, changes: SessionChanges) => Promise<GroupCiphertext>;

export const senderKeyOf = (group: string): RecordKind => ({
  type: 'sender-key',
  idOf: (address) => senderKeyId(group, address),
});

export const makeGroups = (auth: SignalAuthState, records: SignalRecords, receive: Receive): GroupOperations => ({
  decryptGroupMessage: ({ group, authorJid, msg }, onPlaintext) =>
    records.on(senderKeyOf(group), authorJid, (unit, id) =>
      receive(
        unit,
        { ciphertext: msg, jid: authorJid, group, inboxFirst: false },
        () => groupBridgeOf(unit, auth.creds, id).decrypt(msg),
        onPlaintext,
      ),
    ),

  /** Idempotent: a known sender key keeps its place in the chain. */
  async processSenderKeyDistributionMessage({ item, authorJid }) {
    const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item;
    if (!groupId) throw new Error('Group ID is required for sender key distribution message');
    if (!distribution) throw new Error('Sender key distribution message is empty');
    await records.on(senderKeyOf(groupId), authorJid, async (unit, id) => {
      await groupBridgeOf(unit, auth.creds, id).accept(distribution);
      await unit.commit();
    });
  },

  getSenderKeyDistributionMessage: ({ group, meId }) =>
    records.on(senderKeyOf(group), meId, async (unit, id) => {
      const distribution = await groupBridgeOf(unit, auth.creds, id).distribution();
      await unit.commit();
      return distribution;
    }),

  hasSenderKey: async ({ group, meId }) => (await records.find(senderKeyOf(group), meId)) !== null,
});

export const makeEncryptForGroup =
  (auth: SignalAuthState, records: SignalRecords): EncryptForGroup =>
  ({ group, meId, data, anew }, changes) =>
    records.on(senderKeyOf(group), meId, async (unit, id) => {
      if (anew) {
        unit.put('sender-key', id, null);
        unit.put('sender-key-memory', group, null);
      }
      const bridge = groupBridgeOf(unit, auth.creds, id);
      const distribution = await bridge.distribution();
      const ciphertext = await bridge.encrypt(data);
      await unit.commit(changes);
      return { ciphertext, distribution };
    });
