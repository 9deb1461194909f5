/** What a phone does with each stanza that the server delivers. */
import { getBinaryNodeChildren, proto, unpadRandomMax16 } from 'baileys';
import type { BinaryNode } from 'baileys';
import { chatName, isGroup, resolve } from './address.ts';
import type { Addressee } from './address.ts';
import { type Message, type PhoneContext, serialized } from './context.ts';
import { read, readAtOnce } from './read.ts';
import type { Reading } from './read.ts';
import type { Retries } from './retries.ts';
import { restock } from './signal-state.ts';
import type { Shown, ViewState } from './view.ts';

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

const decryptOne = (phone: PhoneContext, { author, chat }: Delivery, enc: BinaryNode): Message => {
  const body = enc.content;
  const type = enc.attrs['type'];
  if (!(body instanceof Uint8Array)) throw new Error('a ciphertext is missing');
  const { peer } = phone.keys;
  if (type !== 'skmsg' && type !== 'pkmsg' && type !== 'msg') throw new Error(`unknown ciphertext type ${type}`);
  const padded =
    type === 'skmsg' ? peer.decryptGroup(chat, author.address, body) : peer.decrypt(author.address, { type, body });
  const message: Message = proto.Message.decode(unpadRandomMax16(padded));
  const handedOver = message.senderKeyDistributionMessage;
  if (handedOver?.groupId && handedOver.axolotlSenderKeyDistributionMessage) {
    peer.acceptDistribution(handedOver.groupId, author.address, handedOver.axolotlSenderKeyDistributionMessage);
  }
  return message;
};

/** All ciphertexts of a stanza; in a group the first may only hand a sender key over. */
const decrypt = (phone: PhoneContext, delivery: Delivery): Message => {
  const encrypted = getBinaryNodeChildren(delivery.node, 'enc');
  const [first, ...more] = encrypted;
  if (first === undefined) throw new Error('the message has no ciphertext');
  let whole = decryptOne(phone, delivery, first);
  for (const enc of more) whole = { ...whole, ...decryptOne(phone, delivery, enc) };
  return whole;
};

/** What a companion of the account sent comes as a copy. */
const contentOf = (message: Message): Message => message.deviceSentMessage?.message ?? message;

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
  #waiting: BinaryNode[] = [];
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
        // Whoever hands it over is done with it first.
        if (this.#waiting.push(node) === 1) this.#turn = this.#turn.then(() => this.#handleWaiting());
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

  /** Without a pause, but where a file has to be opened or keys have to be asked for. */
  async #handleWaiting(): Promise<void> {
    for (let at = 0; at < this.#waiting.length; at += 1) {
      const node = this.#waiting[at]!;
      try {
        const more = this.#handle(node);
        if (more !== null) await more;
      } catch (error) {
        this.#phone.report(error);
      }
      this.#phone.line.tell(ackOf(node));
    }
    this.#waiting = [];
  }

  /** Null when that was all. */
  #handle(node: BinaryNode): Promise<void> | null {
    if (node.tag === 'message') return this.#message(node);
    if (node.tag === 'receipt') return this.#receipt(node);
    if (node.tag === 'call') this.#call(node);
    else if (node.attrs['type'] === 'encrypt') this.#restock();
    return null;
  }

  #restock(): void {
    const { device, keys } = this.#phone;
    if (device.keys !== null) restock(keys.state, device.keys.preKeys);
  }

  #message(node: BinaryNode): Promise<void> | null {
    const phone = this.#phone;
    const delivery = deliveryOf(phone, node);
    if (delivery === null) return null;
    const key = `${delivery.id}/${delivery.author.account.number}`;
    if (phone.seen.has(key)) {
      phone.counters.duplicates += 1;
      this.#acknowledge(delivery);
      return null;
    }
    let message: Message;
    try {
      message = decrypt(phone, delivery);
    } catch {
      phone.counters.decryptFailures += 1;
      this.#retries.ask(node);
      return null;
    }
    this.#restock();
    phone.seen.set(key, true);
    phone.counters.received += 1;
    const reading = readAtOnce(contentOf(message));
    if (reading === null) return this.#openAndShow(delivery, message);
    this.#show(delivery, message, reading);
    return null;
  }

  async #openAndShow(delivery: Delivery, message: Message): Promise<void> {
    this.#show(delivery, message, await read(contentOf(message), this.#phone.media));
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

  #show(delivery: Delivery, message: Message, reading: Reading): void {
    const phone = this.#phone;
    if (reading.kind === 'shown') this.#add(delivery, message, reading.shown);
    else applyChange(phone, reading, delivery.author.account.jid);
    this.#acknowledge(delivery);
    phone.changed();
  }

  #add(delivery: Delivery, message: Message, shown: Shown): void {
    const phone = this.#phone;
    if (shown.error !== null) phone.counters.mediaFailures += 1;
    const { id, author, fromMe, node } = delivery;
    const chat = chatName(phone.hub, message.deviceSentMessage?.destinationJid ?? delivery.chat);
    if (shown.image ?? shown.media) phone.content.set(id, serialized(contentOf(message)));
    phone.view.add(shown, {
      id,
      chat,
      from: author.account.jid,
      fromMe,
      pushName: node.attrs['notify'] ?? null,
      timestamp: new Date(Number(node.attrs['t'] ?? Math.floor(Date.now() / 1000)) * 1000).toISOString(),
      state: stateOf(phone, chat, fromMe, shown.error),
    });
  }

  #acked(node: BinaryNode): void {
    const { id, error } = node.attrs;
    if (node.attrs['class'] !== 'message' || id === undefined) return;
    this.#phone.view.advance(id, error === undefined ? 'accepted' : 'failed');
    this.#phone.changed();
  }

  #receipt(node: BinaryNode): Promise<void> | null {
    const { id, type } = node.attrs;
    if (id === undefined) return null;
    if (type === 'retry') return this.#retries.answer(node);
    const items = getBinaryNodeChildren(getBinaryNodeChildren(node, 'list')[0], 'item');
    const ids = [id, ...items.map((item) => item.attrs['id'] ?? '')];
    const state = stateByReceipt[type ?? ''];
    if (state === undefined) return null;
    for (const each of ids) this.#phone.view.advance(each, state);
    this.#phone.changed();
    return null;
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
