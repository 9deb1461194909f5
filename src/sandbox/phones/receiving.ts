/** What a phone does with each stanza that the server delivers. */
import { getBinaryNodeChildren, proto, unpadRandomMax16 } from 'baileys';
import type { BinaryNode } from 'baileys';
import { chatName, isGroup, resolve } from './address.ts';
import type { Addressee } from './address.ts';
import { type Message, type PhoneContext, serialized } from './context.ts';
import { read } from './read.ts';
import type { Reading } from './read.ts';
import type { Retries } from './retries.ts';
import { restock } from './signal-state.ts';
import type { ViewState } from './view.ts';

/** An ack of a stanza, as the network's own apps write it. */
export const ackOf = ({ tag, attrs }: BinaryNode): BinaryNode => ({
  tag: 'ack',
  attrs: {
    id: attrs['id'] ?? '',
    to: attrs['from'] ?? '',
    class: tag,
    ...(attrs['participant'] && { participant: attrs['participant'] }),
    ...(attrs['recipient'] && { recipient: attrs['recipient'] }),
    ...(attrs['type'] && { type: attrs['type'] }),
  },
});

/** One message as delivered: who wrote it, to which chat. */
interface Delivery {
  readonly node: BinaryNode;
  readonly id: string;
  readonly author: Addressee;
  /** The chat as the stanza names it. */
  readonly chat: string;
  readonly fromMe: boolean;
}

const deliveryOf = (phone: PhoneContext, node: BinaryNode): Delivery | null => {
  const { id, from, participant, recipient } = node.attrs;
  const author = resolve(phone.hub, participant ?? from ?? '');
  if (id === undefined || from === undefined || author === null) return null;
  return { node, id, author, chat: recipient ?? from, fromMe: author.account === phone.account };
};

const decryptOne = async (phone: PhoneContext, { author, chat }: Delivery, enc: BinaryNode): Promise<Message> => {
  const body = enc.content;
  const type = enc.attrs['type'];
  if (!(body instanceof Uint8Array)) throw new Error('a ciphertext is missing');
  const { peer } = phone.keys;
  if (type !== 'skmsg' && type !== 'pkmsg' && type !== 'msg') throw new Error(`unknown ciphertext type ${type}`);
  const padded =
    type === 'skmsg'
      ? await peer.decryptGroup(chat, author.address, body)
      : peer.decrypt(author.address, { type, body });
  const message: Message = proto.Message.decode(unpadRandomMax16(padded));
  const handedOver = message.senderKeyDistributionMessage;
  if (handedOver?.groupId && handedOver.axolotlSenderKeyDistributionMessage) {
    await peer.acceptDistribution(handedOver.groupId, author.address, handedOver.axolotlSenderKeyDistributionMessage);
  }
  return message;
};

/** All ciphertexts of a stanza; in a group the first may only hand a sender key over. */
const decrypt = async (phone: PhoneContext, delivery: Delivery): Promise<Message> => {
  const encrypted = getBinaryNodeChildren(delivery.node, 'enc');
  const [first, ...more] = encrypted;
  if (first === undefined) throw new Error('the message has no ciphertext');
  let whole = await decryptOne(phone, delivery, first);
  for (const enc of more) whole = { ...whole, ...(await decryptOne(phone, delivery, enc)) };
  return whole;
};

/** What a receipt says of a message; other types say nothing of it. */
const stateByReceipt: Readonly<Record<string, ViewState>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  'read-self': 'read',
  played: 'played',
  'played-self': 'played',
};

export class Receiving {
  readonly #phone: PhoneContext;
  readonly #retries: Retries;
  /** Stanzas are handled one after the other, in the order of the server. */
  #turn: Promise<void> = Promise.resolve();

  constructor(phone: PhoneContext, retries: Retries) {
    this.#phone = phone;
    this.#retries = retries;
  }

  take(node: BinaryNode): void {
    switch (node.tag) {
      case 'ack':
        return this.#acked(node);
      case 'message':
      case 'receipt':
      case 'call':
      case 'notification':
        this.#turn = this.#turn.then(() => this.#handle(node)).catch(this.#phone.report);
        return;
      case 'iq':
        if (node.attrs['type'] === 'get') {
          this.#phone.line.tell({
            tag: 'iq',
            attrs: { id: node.attrs['id'] ?? '', to: '@s.whatsapp.net', type: 'result' },
          });
        }
    }
  }

  /** Resolves when all that has been taken is handled. */
  idle(): Promise<void> {
    return this.#turn;
  }

  async #handle(node: BinaryNode): Promise<void> {
    try {
      if (node.tag === 'message') await this.#message(node);
      else if (node.tag === 'receipt') await this.#receipt(node);
      else if (node.tag === 'call') this.#call(node);
      else if (node.attrs['type'] === 'encrypt') this.#restock();
    } finally {
      this.#phone.line.tell(ackOf(node));
    }
  }

  #restock(): void {
    const { device, keys } = this.#phone;
    if (device.keys !== null) restock(keys.state, device.keys.preKeys);
  }

  async #message(node: BinaryNode): Promise<void> {
    const phone = this.#phone;
    const delivery = deliveryOf(phone, node);
    if (delivery === null) return;
    const key = `${delivery.id}/${delivery.author.account.number}`;
    if (phone.seen.has(key)) {
      phone.counters.duplicates += 1;
      return this.#acknowledge(delivery);
    }
    let message: Message;
    try {
      message = await decrypt(phone, delivery);
    } catch {
      phone.counters.decryptFailures += 1;
      return this.#retries.ask(node);
    }
    this.#restock();
    phone.seen.set(key, true);
    phone.counters.received += 1;
    await this.#show(delivery, message);
    this.#acknowledge(delivery);
    phone.changed();
  }

  /** `<receipt>`: delivered, or `sender` for what a companion of the account sent. */
  #acknowledge({ node, id, fromMe, chat }: Delivery): void {
    const { line, behaviour } = this.#phone;
    const { from, participant, category } = node.attrs;
    if (!behaviour.deliverReceipts && !fromMe) return;
    const to = from ?? '';
    if (category === 'peer') return line.tell({ tag: 'receipt', attrs: { id, to, type: 'peer_msg' } });
    const own = fromMe ? { type: 'sender', ...(!isGroup(chat) && { recipient: chat }) } : {};
    line.tell({ tag: 'receipt', attrs: { id, to, ...(participant && { participant }), ...own } });
  }

  async #show(delivery: Delivery, message: Message): Promise<void> {
    const phone = this.#phone;
    const copy = message.deviceSentMessage;
    const content = copy?.message ?? message;
    const reading = await read(content, phone.media);
    if (reading.kind !== 'shown') return applyChange(phone, reading, delivery.author.account.jid);
    if (reading.shown.error !== null) phone.counters.mediaFailures += 1;
    const { id, author, fromMe, node } = delivery;
    const chat = chatName(phone.hub, copy?.destinationJid ?? delivery.chat);
    if (reading.shown.image ?? reading.shown.media) phone.content.set(id, serialized(content));
    phone.view.add(reading.shown, {
      id,
      chat,
      from: author.account.jid,
      fromMe,
      pushName: node.attrs['notify'] ?? null,
      timestamp: new Date(Number(node.attrs['t'] ?? Math.floor(Date.now() / 1000)) * 1000).toISOString(),
      state: stateOf(phone, chat, fromMe, reading.shown.error),
    });
  }

  #acked(node: BinaryNode): void {
    const { id, error } = node.attrs;
    if (node.attrs['class'] !== 'message' || id === undefined) return;
    this.#phone.view.advance(id, error === undefined ? 'accepted' : 'failed');
    this.#phone.changed();
  }

  async #receipt(node: BinaryNode): Promise<void> {
    const { id, type } = node.attrs;
    if (id === undefined) return;
    if (type === 'retry') return this.#retries.answer(node);
    const items = getBinaryNodeChildren(getBinaryNodeChildren(node, 'list')[0], 'item');
    const ids = [id, ...items.map((item) => item.attrs['id'] ?? '')];
    const state = stateByReceipt[type ?? ''];
    if (state === undefined) return;
    for (const each of ids) this.#phone.view.advance(each, state);
    this.#phone.changed();
  }

  #call(node: BinaryNode): void {
    const { calls, hub, account } = this.#phone;
    const action = Array.isArray(node.content) ? node.content[0] : undefined;
    const id = action?.attrs['call-id'];
    if (action === undefined || id === undefined) return;
    const before = calls.get(id);
    const from = chatName(hub, action.attrs['call-creator'] ?? node.attrs['from'] ?? '');
    const video = getBinaryNodeChildren(action, 'video').length > 0;
    const fresh = { id, from, fromMe: from === account.jid, to: null, video };
    calls.set(id, { ...(before ?? fresh), state: action.tag });
    this.#phone.changed();
  }
}

const stateOf = (phone: PhoneContext, chat: string, fromMe: boolean, error: string | null) => {
  if (error !== null) return 'failed';
  if (!fromMe) return 'received';
  // A note to oneself has nobody else to wait for.
  return chat === phone.account.jid ? 'read' : 'accepted';
};

/** What an edit, a revoke or a reaction does to a message on the screen. */
export const applyChange = (phone: PhoneContext, reading: Reading, by: string): void => {
  const { view } = phone;
  if (reading.kind === 'hidden' || reading.kind === 'shown') return;
  const target = view.find(reading.id);
  if (target === null) return;
  if (reading.kind === 'reaction') {
    const others = target.reactions.filter(({ from }) => from !== by);
    view.change(target.id, {
      reactions: reading.emoji === '' ? others : [...others, { from: by, emoji: reading.emoji }],
    });
    return;
  }
  // Only the author can change what a message says.
  if (target.from !== by) return;
  if (reading.kind === 'revoke')
    view.change(target.id, { revoked: true, text: null, image: null, media: null, details: null });
  else if (target.image !== null)
    view.change(target.id, { edited: true, image: { ...target.image, caption: reading.text } });
  else view.change(target.id, { edited: true, text: reading.text });
};
