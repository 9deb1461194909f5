/** Handles stanzas delivered to a phone. */
import type { ViewMessage, Shown, ViewState } from '../context/view.ts';
import { type Reading, read } from '../reading/read.ts';
import { Mutex } from 'async-mutex';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys';
import { applyChange, mayRevoke, keepGroupTimer, keepTimer } from '../reading/apply-change.ts';
import { chatName, isGroup } from '../context/address.ts';
import { type Message, type PhoneContext, serialized } from '../context/context.ts';
import { contentOf, decrypt, type Delivery, deliveryOf, isMisnamed } from '../reading/decrypt.ts';
import { KeyUses, type Retries } from './retries.ts';
import { answerMediaRetry } from './media-retry.ts';
import type { MessageMarks } from '../companions/message-marks.ts';
import { answerRequest } from '../companions/peer-requests.ts';
import { isAnnouncementGroup } from '../context/requests.ts';
import { takeMove } from '../sending/compose-changes.ts';
import { readAnswer, readComment, secretIn, unsealed } from '../context/secrets.ts';
import { restock } from '../signal/signal-state.ts';
import { STATUS } from '../context/statuses.ts';
import { takeStatus, takeStatusReceipt } from './statuses.ts';

/**
 * How long a message can be changed. Changes are encrypted, so the server cannot refuse late ones: the receiving apps ignore them.
 * Edits: 20 minutes (WhatsApp Web's `message_edit_window_duration_seconds` 1200, zapo spec/abprops, 2026-08-19; whatsmeow `EditWindow`,
 * 2026-08-21). Revokes: 2 days and 12 hours, as published for senders (2026-05) and assumed for receivers.
 */
const windowsMs: Readonly<Partial<Record<Reading['kind'], number>>> = { edit: 20 * 60_000, revoke: 60 * 3_600_000 };

const isTooLate = ({ kind }: Reading, { timestamp }: ViewMessage, at: number): boolean =>
  at - Date.parse(timestamp) > (windowsMs[kind] ?? Infinity);

/** An ack in the format of the network's apps. */
const ackOf = ({ tag, attrs }: BinaryNode): BinaryNode => {
  const { id = '', from = '', participant, recipient, type } = attrs;
  const said: BinaryNode['attrs'] = { id, to: from, class: tag };
  if (participant) said['participant'] = participant;
  if (recipient) said['recipient'] = recipient;
  if (type) said['type'] = type;
  return { tag: 'ack', attrs: said };
};

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
  readonly #marks: MessageMarks;
  readonly #keyUses = new KeyUses();
  /** Stanzas are handled one at a time, in server order. */
  readonly #mutex = new Mutex();
  /** The current stanza was answered by a receipt, which replaces the ack. */
  #answered = false;

  constructor(phone: PhoneContext, retries: Retries, marks: MessageMarks) {
    this.#phone = phone;
    this.#retries = retries;
    this.#marks = marks;
  }

  take(node: BinaryNode): void {
    switch (node.tag) {
      case 'ack':
        return this.#acked(node);
      case 'message':
      case 'status':
      case 'receipt':
      case 'call':
      case 'notification':
        void this.#take(node).catch(this.#phone.report);
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

  async idle(): Promise<void> {
    while (this.#mutex.isLocked()) await this.#mutex.waitForUnlock();
  }

  /** What the connection ended on, before or while it was handled, is left to the next one. */
  async #take(node: BinaryNode): Promise<void> {
    const { line } = this.#phone;
    const { connection } = line;
    await this.#mutex.runExclusive(async () => {
      if (line.connection === connection) await this.#handleAndAck(node, () => line.connection === connection);
    });
  }

  async #handleAndAck(node: BinaryNode, isConnected: () => boolean): Promise<void> {
    this.#answered = false;
    try {
      await this.#handle(node);
    } catch (error) {
      if (!isConnected()) return;
      this.#phone.report(error);
    }
    if (!this.#answered) this.#phone.line.tell(ackOf(node));
  }

  async #handle(node: BinaryNode): Promise<void> {
    const isStatus = node.attrs['from'] === STATUS;
    if (isStatus && (node.tag === 'message' || node.tag === 'status'))
      await takeStatus(this.#phone, node, this.#retries);
    else if (isStatus && node.attrs['class'] === 'status') takeStatusReceipt(this.#phone, node);
    else if (node.tag === 'message') await this.#message(node);
    else if (node.tag === 'receipt') await this.#receipt(node);
    else if (node.tag === 'call') this.#call(node);
    else if (node.attrs['type'] === 'encrypt') this.#restock();
    else if (node.attrs['type'] === 'server_sync') await this.#syncAppState();
    else if (node.attrs['type'] === 'w:gp2') keepGroupTimer(this.#phone, node);
  }

  /** The account's name may be among them. */
  async #syncAppState(): Promise<void> {
    const { appState, account, changed } = this.#phone;
    await this.#marks.share();
    account.name = appState.name ?? account.name;
    changed();
  }

  #restock(): void {
    const { device, keys } = this.#phone;
    if (device.keys !== null) restock(keys.state, device.keys.preKeys);
  }

  async #message(node: BinaryNode): Promise<void> {
    const phone = this.#phone;
    const delivery = deliveryOf(phone, node);
    if (delivery === null) return;
    const { id, author, chat } = delivery;
    phone.counters.reusedKeys += this.#keyUses.reused(`${author.address} ${chat}`, node);
    const key = `${id}/${author.account.number}`;
    if (phone.seen.has(key)) {
      phone.counters.duplicates += 1;
      // It may bring a sender key that the first did not: apps decrypt before they compare ids (whatsmeow message.go, 2026-08).
      await decrypt(phone, delivery).catch(() => undefined);
      this.#restock();
      this.#acknowledge(delivery);
      return;
    }
    let message: Message;
    try {
      message = await decrypt(phone, delivery);
    } catch {
      phone.counters.decryptFailures += 1;
      this.#retries.ask(node);
      return;
    }
    this.#restock();
    phone.seen.set(key, true);
    phone.counters.received += 1;
    if (isMisnamed(delivery, message)) phone.counters.destinationMismatches += 1;
    const answering = answerRequest(phone, delivery, message);
    if (answering !== null) {
      this.#acknowledge(delivery);
      await answering;
      return;
    }
    const isPlain = contentOf(message).reactionMessage !== undefined && contentOf(message).reactionMessage !== null;
    // Apps show only sealed reactions in announcement groups (Baileys #857; whatsapp-rust features/reaction.rs, 2026-08).
    if (isPlain && isGroup(chat) && (await isAnnouncementGroup(phone.line, chat))) return this.#acknowledge(delivery);
    message = this.#unsealed(delivery, message);
    const reading = this.#answer(delivery, message) ?? (await read(contentOf(message), phone));
    await this.#show(delivery, message, reading);
  }

  /** Without the secret it stays sealed and is shown as unknown. */
  #unsealed({ author }: Delivery, message: Message): Message {
    try {
      return unsealed(this.#phone, contentOf(message), author.account.lid) ?? message;
    } catch (error) {
      this.#phone.report(error);
      return message;
    }
  }

  #answer({ author }: Delivery, message: Message): Reading | null {
    try {
      const content = contentOf(message);
      const { lid } = author.account;
      return readAnswer(this.#phone, content, lid) ?? readComment(this.#phone, content, lid);
    } catch (error) {
      this.#phone.report(error);
      return null;
    }
  }

  /** Type `sender` for messages from the account's companions. */
  #acknowledge({ node, id, fromMe, chat }: Delivery): void {
    const { line, behaviour } = this.#phone;
    const { from, participant, category } = node.attrs;
    if (!behaviour.deliverReceipts && !fromMe) return;
    const attrs: BinaryNode['attrs'] = { id, to: from ?? '' };
    if (category === 'peer') attrs['type'] = 'peer_msg';
    else {
      if (participant) attrs['participant'] = participant;
      if (fromMe) attrs['type'] = 'sender';
      if (fromMe && !isGroup(chat)) attrs['recipient'] = chat;
    }
    this.#answered = true;
    line.tell({ tag: 'receipt', attrs });
  }

  async #show(delivery: Delivery, message: Message, reading: Reading): Promise<void> {
    const phone = this.#phone;
    const { jid } = delivery.author.account;
    const isRefused = await this.#isRefused(delivery, reading);
    if (reading.kind === 'shown') {
      const isMove = delivery.author.device === 0 && takeMove(phone, reading.shown, jid);
      if (!isMove) this.#add(delivery, message, reading.shown);
    } else if (!isRefused) applyChange(phone, reading, jid);
    this.#acknowledge(delivery);
    phone.changed();
  }

  async #isRefused({ author, node }: Delivery, reading: Reading): Promise<boolean> {
    const original = 'id' in reading ? this.#phone.view.find(reading.id) : null;
    if (original === null) return false;
    const at = Number(node.attrs['t']) * 1_000 || Date.now();
    if (isTooLate(reading, original, at)) return true;
    return reading.kind === 'revoke' && !(await mayRevoke(this.#phone, original, author.account.jid));
  }

  #add(delivery: Delivery, message: Message, shown: Shown): void {
    const phone = this.#phone;
    if (shown.error !== null) phone.counters.mediaFailures += 1;
    const { id, author, fromMe, node } = delivery;
    const chat = chatName(phone.hub, message.deviceSentMessage?.destinationJid ?? delivery.chat);
    const secret = secretIn(message) ?? secretIn(contentOf(message));
    if (secret !== null) phone.secrets.set(id, secret);
    keepTimer(phone, chat, shown);
    if (!contentOf(message).conversation) phone.content.set(id, serialized(contentOf(message)));
    phone.view.add(shown, {
      id,
      chat,
      from: author.account.jid,
      fromMe,
      pushName: node.attrs['notify'] ?? null,
      at: Number(node.attrs['t'] ?? Math.floor(Date.now() / 1000)) * 1000,
      state: stateOf(phone, chat, fromMe, shown.error),
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
    if (type === 'server-error') return answerMediaRetry(this.#phone, node);
    if (type === 'peer_msg') this.#phone.counters.peerReceipts += 1;
    if (type === 'hist_sync') this.#phone.counters.historyReceipts += 1;
    const state = stateByReceipt[type ?? ''];
    if (state === undefined) return;
    const items = getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'item');
    for (const each of [id, ...items.map(({ attrs }) => attrs['id'] ?? '')]) this.#phone.view.advance(each, state);
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
  return chat === phone.account.jid ? 'read' : 'accepted';
};
