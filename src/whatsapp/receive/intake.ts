/** Stores incoming messages, receipts and calls before they are acknowledged. */
import type { BinaryNode } from '../library/nodes.ts';
import { proto, unpadRandomMax16 } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { joinChanges, type KeyChange, type SessionChanges, type Report } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { meOf, isMe, isOtherPerson, jidsIn, plainJid } from '../identity/people.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import { EarlyReceipts, Receipts } from './receipts.ts';
import { ChatTimers } from '../chats/timers.ts';
import type { PendingChunks } from '../chats/history/pending.ts';
import { peerDataChanges, MessageReader } from './message-reader.ts';
import type { Orders } from './orders.ts';
import { Placeholders } from './placeholders.ts';
import { translateUnavailable, PushNames } from '../translate/message.ts';
import type { GroupOf } from '../message-updates/sealed.ts';
import type { SendToPhone } from '../send/peer-message.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { OnPlaintext } from '../signal/inbox.ts';
import { learned, plainEncOf, type PlainMessage, plainId } from '../translate/parts/envelope.ts';
import { type CallOffer, translateCall } from '../translate/call.ts';
import { isGroupTimer, translateGroupTimer } from '../translate/group-timer.ts';
import { Updates } from './updates.ts';

export interface IntakeOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly history: PendingChunks;
  readonly groupOf: GroupOf;
  readonly toPhone: SendToPhone;
  readonly orders: Pick<Orders, 'keep'>;
  /** The changes of receipts about the account's statuses. */
  readonly statusesSeen: (receipts: readonly BinaryNode[]) => Promise<SessionChanges>;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Intake {
  readonly #options: IntakeOptions;
  readonly #updates: Updates;
  readonly reader: MessageReader;
  readonly #early: EarlyReceipts;
  readonly #receipts: Receipts;
  readonly placeholders: Placeholders;
  readonly timers: ChatTimers;
  readonly #pushNames = new PushNames();
  #isLoaded = false;
  readonly #calls = boundedCache<CallOffer>(50);

  constructor(options: IntakeOptions) {
    this.#options = options;
    const context = this.#context;
    this.#updates = new Updates({ ...options, context });
    this.#early = new EarlyReceipts(options);
    this.timers = new ChatTimers(options);
    const [recall, commit] = [this.#recall, this.#commit];
    this.reader = new MessageReader({ ...options, updates: this.#updates, context, recall });
    this.#receipts = new Receipts({ ...options, early: this.#early, context, recall, commit });
    this.placeholders = new Placeholders({
      ...options,
      context,
      commit: (stanza, changes) => commit([stanza], changes),
    });
  }

  /** Events of messages are made during decryption (`inbound.ts`), others before the acknowledgement. */
  attach(...given: Parameters<Receipts['attach']>): void {
    this.#receipts.attach(...given);
  }

  /** The changes of a stanza's content, committed with the ratchet before its receipt leaves. */
  readerOf(stanza: BinaryNode): OnPlaintext {
    return async ({ plaintext }) => {
      const kept = await this.#reading(async () => {
        await this.placeholders.list.load();
        const changes = await this.reader.changesOf(stanza, plaintext);
        return this.#early.merged(await this.placeholders.merged(changes, stanza.attrs.category === 'peer'));
      });
      const { lidMapping, memory } = this.#options;
      if (this.#isWordless(stanza, kept)) memory.wordless.set(plainId(stanza.attrs.id ?? ''), true);
      const come = [...(kept.messages ?? [])];
      for (const { arrived } of kept.messageChanges ?? []) if (arrived !== undefined) come.push(arrived);
      const awaited = come.length === 0 ? {} : await this.#reading(() => this.#updates.awaited(come));
      const whole = joinChanges([kept, awaited]);
      const peer = await this.#reading(() => this.#peerData(stanza, plaintext));
      const orders = await this.#reading(() => this.#options.orders.keep(come));
      const keys = [...learned(stanza, lidMapping), ...(whole.keys ?? []), ...(peer.keys ?? []), ...orders];
      return { ...whole, ...peer, keys, instead: this.reader.kept(stanza, plaintext) };
    };
  }

  storerOf(stanza: BinaryNode): OnPlaintext {
    this.reader.tellStuck();
    return ({ plaintext }) => this.reader.leftUnread(stanza, plaintext);
  }

  /** A store failure here must end the connection, or the message would be refused and lost. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.#options.onStoreFailure(error);
      throw error;
    }
  }

  async #peerData(stanza: BinaryNode, plaintext: Uint8Array): Promise<ReturnType<typeof peerDataChanges>> {
    const { creds, history } = this.#options;
    if (stanza.attrs.category !== 'peer' || !isMe(meOf(creds), stanza.attrs.from)) return {};
    await history.load();
    const decode = () => proto.Message.decode(unpadRandomMax16(plaintext));
    return this.reader.translated('peer message', () => peerDataChanges(decode(), creds, history)) ?? {};
  }

  /** Sent from the phone, with an event but no message: its receipts would concern a message nobody knows. */
  #isWordless({ attrs }: BinaryNode, { facts = [], messages = [] }: SessionChanges): boolean {
    if (facts.length === 0 || messages.length > 0) return false;
    return isMe(meOf(this.#options.creds), attrs.participant ?? attrs.from);
  }

  /** Messages that may be read together, from the front: each from another person, with one ciphertext of a known session or sender key. */
  async enclosedIn(nodes: readonly BinaryNode[]): Promise<PlainMessage[]> {
    const { creds, lidMapping } = this.#options;
    const enclosed: PlainMessage[] = [];
    if (!this.#isLoaded) await this.#load();
    const isAnyWaitedFor = !this.#updates.waiting.isEmpty || !this.placeholders.list.saved.isEmpty;
    for (const stanza of nodes) {
      const { id, from, category, recipient, participant } = stanza.attrs;
      if (id === undefined || category !== undefined || recipient !== undefined) break;
      const group = from?.endsWith('@g.us') === true ? from : undefined;
      const author = group === undefined ? from : participant;
      const enc = (participant === undefined) === (group === undefined) ? plainEncOf(stanza) : null;
      if (enc === null || (enc.type === 'skmsg') !== (group !== undefined)) break;
      if (!isOtherPerson(meOf(creds), author) || (isAnyWaitedFor && this.#isWaitedFor(id))) break;
      await this.#recall(stanza);
      if (learned(stanza, lidMapping).length > 0) break;
      enclosed.push({ jid: author!, group, type: enc.type, ciphertext: enc.ciphertext, stanza });
    }
    return enclosed;
  }

  async #load(): Promise<void> {
    await this.#updates.load();
    await this.placeholders.list.load();
    this.#isLoaded = true;
  }

  /** Updates waiting for this message are applied with it, or it was reported without content: both exclude batching. */
  #isWaitedFor(id: string): boolean {
    return this.#updates.isAwaited(plainId(id)) || this.placeholders.list.mayHave(plainId(id));
  }

  readonly #context = () => {
    const { creds, lidMapping, clock } = this.#options;
    const [timers, pushNames, now] = [this.timers, this.#pushNames, clock.now()];
    return { me: meOf(creds), peek: lidMapping.peek, timers, pushNames, now };
  };

  /** A message that even breaks decryption is reported without its content. */
  async refuse(node: BinaryNode): Promise<void> {
    this.reader.tellStuck();
    await this.#recall(node);
    const changes = this.reader.translated('message', () =>
      translateUnavailable(node, 'undecryptable', this.#context()),
    );
    await this.#commit([node], changes ?? {});
  }

  /** Before a stanza is read: moves a message's session to the LID as soon as that is known. */
  async begin(node: BinaryNode): Promise<void> {
    await this.#recall(node);
    await this.#commit([node], {});
  }

  async groupTimer(node: BinaryNode): Promise<void> {
    if (!isGroupTimer(node)) return;
    await this.#recall(node);
    const changes = this.reader.translated('timer of a group', () => translateGroupTimer(node, this.#context()));
    await this.#commit([node], changes ?? {});
  }

  async call(node: BinaryNode): Promise<readonly Report[]> {
    // The event has the username from the stanza.
    await this.begin(node);
    const read = () => translateCall(node, { ...this.#context(), calls: this.#calls });
    const facts = this.reader.translated('call', read) ?? [];
    await this.#commit([node], { facts });
    return facts;
  }

  readonly #recall = async (node: BinaryNode): Promise<void> => {
    const { lidMapping } = this.#options;
    for (const jid of jidsIn(node)) if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
    if (node.tag !== 'call' || !Array.isArray(node.content)) return;
    await this.#lookUp(
      node.content.flatMap(({ attrs }) => (attrs['call-creator'] ? [plainJid(attrs['call-creator'])] : [])),
    );
  };

  async #lookUp(jids: Iterable<Jid>): Promise<void> {
    for (const jid of jids) await this.#options.lidMapping.addressesOf(jid);
  }

  readonly #commit = async (nodes: readonly BinaryNode[], translated: SessionChanges): Promise<void> => {
    const { deviceId, store, lidMapping } = this.#options;
    const pairs: KeyChange[] = [];
    for (const node of nodes) pairs.push(...learned(node, lidMapping));
    const changes: SessionChanges = { ...translated, keys: [...pairs, ...(translated.keys ?? [])] };
    let isEmpty = true;
    for (const change of Object.values(changes)) isEmpty &&= Array.isArray(change) && change.length === 0;
    if (isEmpty) return;
    await store.commit(deviceId, changes);
    lidMapping.pairs.committed(pairs);
  };
}
