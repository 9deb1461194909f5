/** The sender keys: one member's messages to a group, encrypted once for everybody. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { SignalAuthState, SignalRepositoryWithLIDStore } from '../engine/types.ts';
import { senderKeyId } from './addresses.ts';
import { groupBridgeOf } from './bridge.ts';
import type { Receive } from './inbox.ts';
import type { RecordKind, SignalRecords } from './signal-records.ts';

type GroupOperations = Pick<
  SignalRepositoryWithLIDStore,
  | 'decryptGroupMessage'
  | 'encryptGroupMessage'
  | 'processSenderKeyDistributionMessage'
  | 'getSenderKeyDistributionMessage'
  | 'hasSenderKey'
>;

export interface GroupPlaintext {
  readonly group: string;
  /** The sending device, by the address that the group knows it by. */
  readonly meId: string;
  readonly data: Uint8Array;
  /** With another sender key than before, which nobody holds yet. */
  readonly anew: boolean;
}

export interface GroupCiphertext {
  readonly ciphertext: Uint8Array;
  /** The sender key as it was before this message, for those who do not hold it. */
  readonly distribution: Uint8Array;
}

/** Encrypts for all holders of the sender key, and commits its chain together with `changes` before it resolves. */
export type EncryptForGroup = (plaintext: GroupPlaintext, changes: SessionChanges) => Promise<GroupCiphertext>;

const senderKeyOf = (group: string): RecordKind => ({
  type: 'sender-key',
  idOf: (address) => senderKeyId(group, address),
});

export const makeGroups = (auth: SignalAuthState, records: SignalRecords, receive: Receive): GroupOperations => ({
  decryptGroupMessage: ({ group, authorJid, msg }) =>
    records.on(senderKeyOf(group), authorJid, (unit, id) =>
      receive(unit, { ciphertext: msg, jid: authorJid, group, inboxFirst: false }, () =>
        groupBridgeOf(unit, auth.creds, id).decrypt(msg),
      ),
    ),

  encryptGroupMessage: ({ group, meId, data }) =>
    records.on(senderKeyOf(group), meId, async (unit, id) => {
      const bridge = groupBridgeOf(unit, auth.creds, id);
      const senderKeyDistributionMessage = await bridge.distribution();
      const ciphertext = await bridge.encrypt(data);
      await records.commit(unit);
      return { ciphertext, senderKeyDistributionMessage };
    }),

  /** Idempotent: a sender key that is known keeps its place in the chain. */
  async processSenderKeyDistributionMessage({ item, authorJid }) {
    const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item;
    if (!groupId) throw new Error('Group ID is required for sender key distribution message');
    if (!distribution) throw new Error('Sender key distribution message is empty');
    await records.on(senderKeyOf(groupId), authorJid, async (unit, id) => {
      await groupBridgeOf(unit, auth.creds, id).accept(distribution);
      await records.commit(unit);
    });
  },

  getSenderKeyDistributionMessage: ({ group, meId }) =>
    records.on(senderKeyOf(group), meId, async (unit, id) => {
      const distribution = await groupBridgeOf(unit, auth.creds, id).distribution();
      await records.commit(unit);
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
      await records.commit(unit, changes);
      return { ciphertext, distribution };
    });
