/** The sender keys: one member's messages to a group, encrypted once for everybody. */
import type { SignalAuthState, SignalRepositoryWithLIDStore } from '../engine/types.ts';
import { senderKeyId } from './addresses.ts';
import { groupBridgeOf } from './bridge.ts';
import type { Receive } from './inbox.ts';
import type { RecordKind, Units } from './units.ts';

type GroupOperations = Pick<
  SignalRepositoryWithLIDStore,
  | 'decryptGroupMessage'
  | 'encryptGroupMessage'
  | 'processSenderKeyDistributionMessage'
  | 'getSenderKeyDistributionMessage'
  | 'hasSenderKey'
>;

const senderKeyOf = (group: string): RecordKind => ({
  type: 'sender-key',
  idOf: (address) => senderKeyId(group, address),
});

export const makeGroups = (auth: SignalAuthState, units: Units, receive: Receive): GroupOperations => ({
  decryptGroupMessage: ({ group, authorJid, msg }) =>
    units.on(senderKeyOf(group), authorJid, (unit, id) =>
      receive(unit, { ciphertext: msg, jid: authorJid, group, inboxFirst: false }, () =>
        groupBridgeOf(unit, auth.creds, id).decrypt(msg),
      ),
    ),

  encryptGroupMessage: ({ group, meId, data }) =>
    units.on(senderKeyOf(group), meId, async (unit, id) => {
      const bridge = groupBridgeOf(unit, auth.creds, id);
      const senderKeyDistributionMessage = await bridge.distribution();
      const ciphertext = await bridge.encrypt(data);
      await units.commit(unit);
      return { ciphertext, senderKeyDistributionMessage };
    }),

  /** Idempotent: a sender key that is known keeps its place in the chain. */
  async processSenderKeyDistributionMessage({ item, authorJid }) {
    const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item;
    if (!groupId) throw new Error('Group ID is required for sender key distribution message');
    if (!distribution) throw new Error('Sender key distribution message is empty');
    await units.on(senderKeyOf(groupId), authorJid, async (unit, id) => {
      await groupBridgeOf(unit, auth.creds, id).accept(distribution);
      await units.commit(unit);
    });
  },

  getSenderKeyDistributionMessage: ({ group, meId }) =>
    units.on(senderKeyOf(group), meId, async (unit, id) => {
      const distribution = await groupBridgeOf(unit, auth.creds, id).distribution();
      await units.commit(unit);
      return distribution;
    }),

  hasSenderKey: async ({ group, meId }) => (await units.find(senderKeyOf(group), meId)) !== null,
});
