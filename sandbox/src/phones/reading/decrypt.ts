/** Decrypts message stanzas. */
import { type BinaryNode, proto } from 'baileys';
import { type Addressee, resolve } from '../context/address.ts';
import type { Message, PhoneContext } from '../context/context.ts';

export interface Delivery {
  readonly node: BinaryNode;
  readonly id: string;
  readonly author: Addressee;
  readonly chat: string;
  readonly fromMe: boolean;
}

export const deliveryOf = (phone: PhoneContext, node: BinaryNode): Delivery | null => {
  const { id, from, participant, recipient } = node.attrs;
  const author = resolve(phone.hub, participant ?? from ?? '');
  if (id === undefined || from === undefined || author === null) return null;
  return { node, id, author, chat: recipient ?? from, fromMe: author.account === phone.account };
};

/** The last byte is the padding's length, 16 at most. */
const messageOf = (padded: Uint8Array): Message => {
  const padding = padded.at(-1) ?? 0;
  const end = padded.length - padding;
  if (padding === 0 || end < 0) throw new Error('a message with a wrong padding');
  return proto.Message.decode(padded, end);
};

const decryptOne = async (phone: PhoneContext, { author, chat }: Delivery, enc: BinaryNode): Promise<Message> => {
  const body = enc.content;
  const type = enc.attrs['type'];
  if (!(body instanceof Uint8Array)) throw new Error('a ciphertext is missing');
  const { peer } = phone.keys;
  if (type !== 'skmsg' && type !== 'pkmsg' && type !== 'msg') throw new Error(`unknown ciphertext type ${type}`);
  const padded = await (type === 'skmsg'
    ? peer.decryptGroup(chat, author.address, body)
    : peer.decrypt(author.address, { type, body }));
  const message = messageOf(padded);
  const handedOver = message.senderKeyDistributionMessage;
  if (handedOver?.groupId && handedOver.axolotlSenderKeyDistributionMessage) {
    await peer.acceptDistribution(handedOver.groupId, author.address, handedOver.axolotlSenderKeyDistributionMessage);
  }
  return message;
};

/** In groups the first ciphertext may only carry a sender key. */
export const decrypt = async (phone: PhoneContext, delivery: Delivery): Promise<Message> => {
  const { content } = delivery.node;
  let whole: Message | null = null;
  if (Array.isArray(content)) {
    for (const enc of content) {
      if (enc.tag !== 'enc') continue;
      const message = await decryptOne(phone, delivery, enc);
      whole = whole === null ? message : Object.assign(whole, message);
    }
  }
  if (whole === null) throw new Error('the message has no ciphertext');
  const { author } = delivery;
  phone.hub.record?.({ kind: 'message', reader: phone.account.number, author: author.account.number, message: whole });
  return whole;
};

export const contentOf = (message: Message): Message => message.deviceSentMessage?.message ?? message;

const serverOf = (jid: string): string => jid.slice(jid.indexOf('@'));

/** A copy for own devices that names another chat than its stanza, which the server cannot see (whatsmeow send.go, 2026-07-13). */
export const isMisnamed = ({ node }: Delivery, { deviceSentMessage }: Message): boolean => {
  const { recipient } = node.attrs;
  const destination = deviceSentMessage?.destinationJid;
  return recipient !== undefined && !!destination && serverOf(recipient) !== serverOf(destination);
};
