/** Writes what arrives (messages, receipts, calls) to the store before the network gets its acknowledgement. */
import { type AuthenticationCreds, type BinaryNode, proto, unpadRandomMax16 } from 'baileys';
import type { KeyChange, SessionChanges } from '../domain/changes.ts';
import type { Clock } from '../domain/clock.ts';
import { type Jid, jidKind } from '../domain/jid.ts';
import type { MessageStore } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { withProven } from './acceptance.ts';
import { meOf } from './account.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { DeviceMemory } from './device-memory.ts';
import { keepEarly, withEarly } from './early-receipts.ts';
import type { SessionStore } from './session-store.ts';
import type { LidMapping } from './signal/lid-mapping.ts';
import type { OnPlaintext } from './signal/repository.ts';
import { runBefore, type StanzaSource } from './stanza-hooks.ts';
import { type CallOffer, translateCall } from './translate/call.ts';
import { translateMessage } from './translate/message.ts';
import { jidsIn, plainJid } from './translate/people.ts';
import { translateReceipt } from './translate/receipt.ts';
import type { MediaUrl } from './translate/record.ts';

export interface JournalOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly mediaUrl: MediaUrl;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Pairs of attributes by which a stanza tells both addresses of one person. */
const toldTogether = [
  ['from', 'sender_pn'],
  ['from', 'sender_lid'],
  ['participant', 'participant_pn'],
  ['participant', 'participant_lid'],
  ['recipient', 'peer_recipient_pn'],
  ['recipient', 'peer_recipient_lid'],
  ['recipient', 'recipient_pn'],
  ['recipient', 'recipient_lid'],
] as const;

const learned = (node: BinaryNode, mapping: LidMapping): KeyChange[] =>
  toldTogether.flatMap(([one, other]) => {
    const jids = [node.attrs[one], node.attrs[other]].flatMap((jid) => (jid ? [plainJid(jid)] : []));
    const lid = jids.find((jid) => jidKind(jid) === 'lid');
    const phone = jids.find((jid) => jidKind(jid) === 'phone');
    return lid === undefined || phone === undefined ? [] : mapping.learn(lid, phone);
  });

const ciphertextsOf = (node: BinaryNode): readonly Uint8Array[] =>
  Array.isArray(node.content)
    ? node.content.flatMap(({ tag, content }) => (tag === 'enc' && content instanceof Uint8Array ? [content] : []))
    : [];

const isEmpty = ({ keys, messages, messageChanges, events }: SessionChanges): boolean =>
  [keys, messages, messageChanges, events].every((list) => list === undefined || list.length === 0);

export class Journal {
  readonly #options: JournalOptions;
  /** The stanza of each ciphertext: Baileys passes the very buffer on to be decrypted. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  readonly #calls = new BoundedCache<CallOffer>(50);

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  attach(socket: StanzaSource): void {
    const { onStoreFailure: onFailure } = this.#options;
    // The events of messages are made while Baileys decrypts them; those of the others before it sees them.
    runBefore(socket, { event: 'CB:message', first: (node) => this.#message(node), inTurn: true, onFailure });
    runBefore(socket, { event: 'CB:receipt', first: (node) => this.#receipt(node), inTurn: false, onFailure });
    runBefore(socket, { event: 'CB:call', first: (node) => this.#call(node), inTurn: false, onFailure });
  }

  /** What a decrypted message changes: committed with the ratchet, before its receipt can leave. */
  readonly onPlaintext: OnPlaintext = ({ ciphertext, plaintext }) => {
    const stanza = this.#stanzas.get(ciphertext);
    if (stanza === undefined) return {};
    const changes = this.#translated('message', () =>
      translateMessage(stanza, proto.Message.decode(unpadRandomMax16(plaintext)), this.#context()),
    );
    // What cannot be read is an unknown message, not none (decisions.md, Events and webhooks).
    const kept = changes ?? this.#translated('message', () => translateMessage(stanza, {}, this.#context())) ?? {};
    const { lidMapping, memory } = this.#options;
    return { ...withEarly(memory.early, kept), keys: learned(stanza, lidMapping) };
  };

  #context() {
    const { creds, lidMapping, mediaUrl, clock } = this.#options;
    return { me: meOf(creds), peek: (jid: Jid) => lidMapping.peek(jid), mediaUrl, now: clock.now() };
  }

  async #message(node: BinaryNode): Promise<void> {
    for (const ciphertext of ciphertextsOf(node)) this.#stanzas.set(ciphertext, node);
    await this.#recall(node);
  }

  async #receipt(node: BinaryNode): Promise<void> {
    await this.#recall(node);
    const changes = this.#translated('receipt', () => translateReceipt(node, this.#context())) ?? {};
    const { messageChanges: steps = [] } = changes;
    const { accepted, early } = this.#options.memory;
    keepEarly(
      early,
      steps.filter(({ messageId }) => accepted.get(messageId) === undefined),
    );
    await withProven(this.#options, steps, (proven) =>
      this.#commit(node, {
        ...proven,
        messageChanges: [...(proven.messageChanges ?? []), ...steps],
        events: [...(proven.events ?? []), ...(changes.events ?? [])],
      }),
    );
  }

  async #call(node: BinaryNode): Promise<void> {
    await this.#recall(node);
    const calls = {
      get: (id: string) => this.#calls.get(id),
      set: (id: string, offer: CallOffer) => this.#calls.set(id, offer),
    };
    const events = this.#translated('call', () => translateCall(node, { ...this.#context(), calls }));
    await this.#commit(node, { events: events ?? [] });
  }

  /** Brings what the store knows of the stanza's addresses into memory, where translation finds it. */
  async #recall(node: BinaryNode): Promise<void> {
    const inside = node.tag === 'call' && Array.isArray(node.content) ? node.content : [];
    const creators = inside.flatMap(({ attrs }) => (attrs['call-creator'] ? [plainJid(attrs['call-creator'])] : []));
    for (const jid of [...jidsIn(node), ...creators]) await this.#options.lidMapping.addressesOf(jid);
  }

  async #commit(node: BinaryNode, translated: SessionChanges): Promise<void> {
    const { deviceId, store, lidMapping } = this.#options;
    const keys = learned(node, lidMapping);
    const changes: SessionChanges = { ...translated, keys };
    if (isEmpty(changes)) return;
    await store.commit(deviceId, changes);
    lidMapping.pairs.committed(keys);
  }

  /** A stanza that cannot be translated must not stop the ones behind it. */
  #translated<T>(kind: string, translate: () => T): T | null {
    try {
      return translate();
    } catch (error) {
      this.#options.log.error({ kind, error: messageOf(error) }, 'a stanza could not be translated');
      return null;
    }
  }
}
