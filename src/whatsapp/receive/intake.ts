/** Writes what arrives (messages, receipts, calls) to the store before the network gets its acknowledgement. */
import type { BinaryNode } from '../engine/nodes.ts';
import { proto, unpadRandomMax16 } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { joinChanges, type KeyChange, type SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../identity/account.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import { EarlyReceipts, Receipts } from './receipts.ts';
import { PushNames } from '../chats/push-names.ts';
import { ChatTimers } from '../chats/timers.ts';
import type { PendingChunks } from '../chats/history/pending.ts';
import { peerDataChanges, emptyMessage, MessageReader } from './message-reader.ts';
import { Placeholders } from './placeholders.ts';
import { translateUnavailable } from '../translate/message.ts';
import type { GroupOf } from '../updates/revokes.ts';
import { isReplay } from '../signal/bridge.ts';
import type { SendToPhone } from '../send/peer-message.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { PlaintextReader } from '../signal/inbox.ts';
import type { ChangesOf } from '../signal/batches.ts';
import type { Line } from '../engine/line/line.ts';
import { type Earlier, runBefore, type StanzaSource } from '../engine/stanza-hooks.ts';
import { ciphertextsOf, learned, plainEncOf, type PlainMessage, plainId } from '../translate/parts/envelope.ts';
import { type CallOffer, translateCall } from '../translate/call.ts';
import { isGroupTimer, translateGroupTimer } from '../translate/group-timer.ts';
import { isMe, isOtherPerson, jidsIn, plainJid } from '../identity/people.ts';
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
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Intake implements PlaintextReader {
  readonly #options: IntakeOptions;
  readonly #updates: Updates;
  readonly #reader: MessageReader;
  readonly #early: EarlyReceipts;
  readonly #receipts: Receipts;
  readonly placeholders: Placeholders;
  readonly timers: ChatTimers;
  readonly #pushNames = new PushNames();
  /** The stanza of each ciphertext: Baileys passes the very buffer on to be decrypted. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  /** Stanzas that could not be decrypted. A group stanza may have two such ciphertexts, and is handled once. */
  readonly #failed = new WeakSet<BinaryNode>();
  /** Stanzas that are decrypted and stored, and not read. */
  readonly #unread = new WeakSet<BinaryNode>();
  /** Whether what waits for messages has been read from the store. */
  #isLoaded = false;
  readonly #calls = boundedCache<CallOffer>(50);

  constructor(options: IntakeOptions) {
    this.#options = options;
    const context = this.#context;
    this.#updates = new Updates({ ...options, context });
    this.#early = new EarlyReceipts(options);
    this.timers = new ChatTimers(options);
    const [recall, commit] = [this.#recall, this.#commit];
    this.#reader = new MessageReader({ ...options, updates: this.#updates, context, recall });
    this.#receipts = new Receipts({ ...options, early: this.#early, context, recall, commit });
    this.placeholders = new Placeholders({
      ...options,
      context,
      commit: (stanza, changes) => commit([stanza], changes),
    });
  }

  attach(socket: StanzaSource, earlier: Earlier, line: Pick<Line, 'sendInPassing'>): void {
    const { onStoreFailure: onFailure } = this.#options;
    // The events of messages are made while they are decrypted (`inbound.ts`); those of the others before Baileys sees them.
    this.#receipts.attach(socket, earlier, line);
    const timer = (node: BinaryNode) => this.#groupTimer(node);
    runBefore(socket, { event: 'CB:notification', only: isGroupTimer, earlier, first: timer, onFailure });
    runBefore(socket, { event: 'CB:call', earlier, first: (node) => this.#call(node), onFailure });
  }

  /** The changes of a decrypted message: committed with the ratchet, before its receipt can leave. */
  readonly onPlaintext: PlaintextReader['onPlaintext'] = async ({ ciphertext, plaintext }) => {
    const stanza = this.#stanzas.get(ciphertext);
    if (stanza === undefined) return {};
    if (this.#unread.has(stanza))
      return { ...this.#reader.leftUnread(stanza, plaintext), keys: learned(stanza, this.#options.lidMapping) };
    const kept = await this.#reading(async () => {
      await this.placeholders.list.load();
      const changes = await this.#reader.changesOf(stanza, plaintext);
      return this.#early.merged(await this.placeholders.merged(changes, stanza.attrs.category === 'peer'));
    });
    const { lidMapping, memory } = this.#options;
    if (this.#isWordless(stanza, kept)) memory.wordless.set(plainId(stanza.attrs.id ?? ''), true);
    const come = [...(kept.messages ?? [])];
    for (const { arrived } of kept.messageChanges ?? []) if (arrived !== undefined) come.push(arrived);
    const awaited = come.length === 0 ? {} : await this.#reading(() => this.#updates.awaited(come));
    const whole = joinChanges([kept, awaited]);
    const peer = await this.#reading(() => this.#peerData(stanza, plaintext));
    const engine = this.#reader.handedOn(stanza, plaintext);
    return {
      ...whole,
      ...peer,
      ...engine,
      keys: [...learned(stanza, lidMapping), ...(whole.keys ?? []), ...(peer.keys ?? [])],
    };
  };

  /** The replay of a message whose key was used is done: the sender gets a receipt, and nothing is told. */
  readonly onUndecryptable: NonNullable<PlaintextReader['onUndecryptable']> = async (ciphertext, error) => {
    const stanza = this.#stanzas.get(ciphertext);
    if (stanza === undefined) return null;
    if (isReplay(error)) return emptyMessage;
    if (this.#failed.has(stanza)) return null;
    this.#failed.add(stanza);
    await this.#reading(() => this.placeholders.undecryptable(stanza));
    return null;
  };

  /** A store that fails here must end the connection, or the message would be refused and gone. */
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
    return this.#reader.translated('peer message', () => peerDataChanges(decode(), creds, history)) ?? {};
  }

  /** Written on the phone, with an event and no message: its receipts would tell of a message that nobody has seen. */
  #isWordless({ attrs }: BinaryNode, { events = [], messages = [] }: SessionChanges): boolean {
    if (events.length === 0 || messages.length > 0) return false;
    return isMe(meOf(this.#options.creds), attrs.participant ?? attrs.from);
  }

  /**
   * The ciphertexts of the stanzas in front that may be read together: each from another person, with one ciphertext of an open session.
   * Up to the first that tells something new of who is who: Baileys acts on that.
   */
  async enclosedIn(nodes: readonly BinaryNode[]): Promise<PlainMessage[]> {
    const { creds, lidMapping } = this.#options;
    const enclosed: PlainMessage[] = [];
    if (!this.#isLoaded) await this.#load();
    for (const stanza of nodes) {
      const { id, from, category, recipient, participant } = stanza.attrs;
      if (id === undefined || category !== undefined || recipient !== undefined || participant !== undefined) break;
      const enc = plainEncOf(stanza);
      if (enc === null || this.#unread.has(stanza) || !isOtherPerson(meOf(creds), from) || this.#isWaitedFor(id)) break;
      await this.#recall(stanza);
      if (learned(stanza, lidMapping).length > 0) break;
      enclosed.push({ jid: from!, type: enc.type, ciphertext: enc.ciphertext, stanza });
    }
    return enclosed;
  }

  async #load(): Promise<void> {
    await this.#updates.load();
    await this.placeholders.list.load();
    this.#isLoaded = true;
  }

  /** The changes of messages that are read together. */
  onPlain(): ChangesOf<PlainMessage> {
    return this.#reader.plain();
  }

  /** Updates that waited for this message are applied with it, and one that was reported without its content is merged: neither is batched. */
  #isWaitedFor(id: string): boolean {
    const { waiting } = this.#updates;
    const { saved } = this.placeholders.list;
    if (waiting.isEmpty && saved.isEmpty) return false;
    return this.#updates.isAwaited(plainId(id)) || this.placeholders.list.mayHave(plainId(id));
  }

  readonly #context = () => {
    const { creds, lidMapping, clock } = this.#options;
    const [timers, pushNames, now] = [this.timers, this.#pushNames, clock.now()];
    return { me: meOf(creds), peek: lidMapping.peek, timers, pushNames, now };
  };

  /** A message whose reading has never come to its end is stored with its bytes; `handset reread` takes it up. */
  leaveUnread(node: BinaryNode): void {
    this.#unread.add(node);
    this.#reader.tellStuck();
  }

  /** A message that not even its decryption survives is told without its content. */
  async refuse(node: BinaryNode): Promise<void> {
    this.#reader.tellStuck();
    await this.#recall(node);
    const changes = this.#reader.translated('message', () =>
      translateUnavailable(node, 'undecryptable', this.#context()),
    );
    await this.#commit([node], changes ?? {});
  }

  /** Before Baileys decrypts it. */
  async begin(node: BinaryNode): Promise<void> {
    for (const ciphertext of ciphertextsOf(node)) this.#stanzas.set(ciphertext, node);
    await this.#recall(node);
  }

  async #groupTimer(node: BinaryNode): Promise<void> {
    await this.#recall(node);
    const changes = this.#reader.translated('timer of a group', () => translateGroupTimer(node, this.#context()));
    await this.#commit([node], changes ?? {});
  }

  async #call(node: BinaryNode): Promise<void> {
    await this.#recall(node);
    const events = this.#reader.translated('call', () =>
      translateCall(node, { ...this.#context(), calls: this.#calls }),
    );
    await this.#commit([node], { events: events ?? [] });
  }

  /** Brings what the store knows of the stanza's addresses into memory, where translation finds it. */
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
