/** Stores incoming messages, receipts and calls before they are acknowledged. */
import type { BinaryNode } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { joinChanges, type KeyChange, type SessionChanges, type Report } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { meOf, isMe, plainJid } from '../identity/people.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import { EarlyReceipts, Receipts } from './receipts.ts';
import { ChatTimers } from '../chats/timers.ts';
import type { PendingChunks } from '../chats/history/pending.ts';
import { peerDataChanges, MessageReader } from './message-reader.ts';
import type { Orders } from './orders.ts';
import { Placeholders } from './placeholders.ts';
import { makeContext, translateUnavailable } from '../translate/message.ts';
import type { GroupOf } from '../message-updates/sealed.ts';
import type { SendToPhone } from '../send/peer-message.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { OnPlaintext } from '../signal/inbox.ts';
import { unpadded } from '../translate/parts/decode.ts';
import { plainId } from '../translate/parts/envelope.ts';
import { type CallOffer, translateCall } from '../translate/call.ts';
import { isGroupTimer, translateGroupTimer } from '../translate/group-timer.ts';
import { Updates } from './updates.ts';
import type { TranslationContext } from '../translate/acts.ts';

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

/** The network tells one at a time. */
const maxCallSteps = 16;

export class Intake {
  readonly #options: IntakeOptions;
  readonly context: () => TranslationContext;
  readonly updates: Updates;
  readonly reader: MessageReader;
  readonly #early: EarlyReceipts;
  readonly #receipts: Receipts;
  readonly placeholders: Placeholders;
  readonly timers: ChatTimers;
  readonly #calls = boundedCache<CallOffer>(50);

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.timers = new ChatTimers(options);
    this.context = makeContext(options, this.timers);
    const [context, commit] = [this.context, this.#commit];
    this.updates = new Updates({ ...options, context });
    this.#early = new EarlyReceipts(options);
    this.reader = new MessageReader({ ...options, updates: this.updates, context });
    this.#receipts = new Receipts({ ...options, early: this.#early, commit });
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
      const awaited = come.length === 0 ? {} : await this.#reading(() => this.updates.awaited(come));
      const whole = joinChanges([kept, awaited]);
      const peer = await this.#reading(() => this.#peerData(stanza, plaintext));
      const orders = await this.#reading(() => this.#options.orders.keep(come));
      const keys = [...lidMapping.changesOf(stanza), ...(whole.keys ?? []), ...(peer.keys ?? []), ...orders];
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
    const read = () => peerDataChanges(proto.Message.decode(unpadded(plaintext)), creds, history);
    return this.reader.translated('peer message', read) ?? {};
  }

  /** Sent from the phone, with an event but no message: its receipts would concern a message nobody knows. */
  #isWordless({ attrs }: BinaryNode, { facts = [], messages = [] }: SessionChanges): boolean {
    if (facts.length === 0 || messages.length > 0) return false;
    return isMe(meOf(this.#options.creds), attrs.participant ?? attrs.from);
  }

  /** A message that even breaks decryption is reported without its content. */
  async refuse(node: BinaryNode): Promise<void> {
    this.reader.tellStuck();
    await this.#options.lidMapping.recall(node);
    const changes = this.reader.translated('message', () =>
      translateUnavailable(node, 'undecryptable', this.context()),
    );
    await this.#commit([node], changes ?? {});
  }

  /** Before a stanza is read: moves a message's session to the LID as soon as that is known. */
  async begin(node: BinaryNode): Promise<void> {
    await this.#options.lidMapping.recall(node);
    await this.#commit([node], {});
  }

  async groupTimer(node: BinaryNode): Promise<void> {
    if (!isGroupTimer(node)) return;
    await this.#options.lidMapping.recall(node);
    const changes = this.reader.translated('timer of a group', () => translateGroupTimer(node, this.context()));
    await this.#commit([node], changes ?? {});
  }

  async call({ content, ...stanza }: BinaryNode): Promise<readonly Report[]> {
    const { lidMapping } = this.#options;
    const steps = Array.isArray(content) ? content.slice(0, maxCallSteps) : [];
    const node: BinaryNode = { ...stanza, content: steps };
    for (const { attrs } of steps)
      if (attrs['call-creator']) await lidMapping.addressesOf(plainJid(attrs['call-creator']));
    // The event has the username from the stanza.
    await this.begin(node);
    const read = () => translateCall(node, { ...this.context(), calls: this.#calls });
    const facts = this.reader.translated('call', read) ?? [];
    await this.#commit([node], { facts });
    return facts;
  }

  readonly #commit = async (nodes: readonly BinaryNode[], translated: SessionChanges): Promise<void> => {
    const { deviceId, store, lidMapping } = this.#options;
    const pairs: KeyChange[] = [];
    for (const node of nodes) pairs.push(...lidMapping.changesOf(node));
    const changes: SessionChanges = { ...translated, keys: [...pairs, ...(translated.keys ?? [])] };
    let isEmpty = true;
    for (const change of Object.values(changes)) isEmpty &&= Array.isArray(change) && change.length === 0;
    if (isEmpty) return;
    await store.commit(deviceId, changes);
    lidMapping.pairs.committed(pairs);
  };
}
