/** Group messages: one ciphertext under a sender key, and the key itself for those who lack it. */
import type { BinaryNode } from 'baileys';
import { element } from '../../base/nodes.ts';
import { type Addressee, signalAddress } from '../context/address.ts';
import type { Message, PhoneContext } from '../context/context.ts';
import { padded, paddedMessage } from './plaintext.ts';

export const senderKeyMessage = async (phone: PhoneContext, group: string): Promise<Message> => ({
  senderKeyDistributionMessage: {
    groupId: group,
    axolotlSenderKeyDistributionMessage: await phone.keys.peer.distribution(group, signalAddress(phone.account, 0)),
  },
});

export const encryptForGroup = async (
  phone: PhoneContext,
  group: string,
  devices: readonly Addressee[],
  bytes: Uint8Array,
  encAttrs: Readonly<Record<string, string>>,
): Promise<readonly BinaryNode[]> => {
  const { peer, state } = phone.keys;
  let holders = state.senderKeyHolders.get(group);
  if (holders === undefined) {
    holders = new Set();
    state.senderKeyHolders.set(group, holders);
  }
  const handOver = await senderKeyMessage(phone, group);
  const participants: BinaryNode[] = [];
  for (const { address, jid } of devices) {
    if (holders.has(address)) continue;
    const { type, body } = await peer.encrypt(address, paddedMessage(handOver));
    participants.push({ tag: 'to', attrs: { jid }, content: [element('enc', { v: '2', type }, body)] });
    holders.add(address);
  }
  const self = signalAddress(phone.account, 0);
  const content = await peer.encryptGroup(group, self, padded(bytes));
  return [
    ...(participants.length > 0 ? [element('participants', {}, participants)] : []),
    { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...encAttrs }, content },
  ];
};

/** The next message distributes the sender key to this address again. */
export const forgetHolder = (phone: PhoneContext, group: string, address: string): void => {
  phone.keys.state.senderKeyHolders.get(group)?.delete(address);
};
