/**
 * Messages that come without their content: withheld by the network (`<unavailable>`), the first ones of Click-to-WhatsApp
 * advertisements (no `<enc>`; WAHA #2267, 2026), and those that could not be decrypted after all retries. Each is told at once as
 * `unknown`; the phone is asked for it now and on each connection for three days, and what it hands over changes the message.
 */
import { jidNormalizedUser } from '../engine/jid.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Unavailable } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import { type Placeholder, PlaceholderList } from './placeholder-list.ts';
import type { SendToPhone } from '../send/peer-message.ts';
import type { SessionStore } from '../state/session-store.ts';
import { envelopeOf, plainId } from '../translate/parts/envelope.ts';
import { arrivedEvent, translateUnavailable, type TranslationContext } from '../translate/message.ts';
import { isMe, plainJid } from '../identity/people.ts';

export interface PlaceholdersOptions {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly context: () => TranslationContext;
  /** Writes what a stanza changes, with what it tells of who is who. */
  readonly commit: (stanza: BinaryNode, changes: SessionChanges) => Promise<void>;
  readonly toPhone: SendToPhone;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Failures of one message after which Baileys no longer asks its sender (`maxMsgRetryCount`). */
const maxRetries = 5;
/** Retry requests to one sender in a minute. */
const retryBudget = 20;
const minuteMs = 60_000;
/** An answer to a retry request that has not come by then does not come. */
const retriesLastMs = 60 * minuteMs;
/** Messages that the phone is asked for at a time. */
const maxAsked = 50;

const hasContent = ({ content }: BinaryNode): boolean =>
  Array.isArray(content) && content.some(({ tag }) => tag === 'enc' || tag === 'plaintext');

/** A message of a chat that has nothing in it to be decrypted. */
export const isPlaceholder = (node: BinaryNode): boolean => {
  const { id, from = '', category } = node.attrs;
  return id !== undefined && category !== 'peer' && !from.endsWith('@newsletter') && !hasContent(node);
};

/**
 * The kind of a message that the network withholds and the phone does not hand over; null for a message that the phone may have (`<unavailable>` of type
 * `view_once`, with `hosted="true"`, or beside `<bot>`: zapo WaRetryCoordinator, 2026-08; types that end in `_unavailable_fanout`:
 * WA Web, by Baileys messages-recv, 2026-07).
 */
const withheldAs = ({ content }: BinaryNode): Unavailable | null => {
  if (!Array.isArray(content)) return null;
  const attrs = content.find(({ tag }) => tag === 'unavailable')?.attrs;
  if (attrs === undefined) return null;
  const type = attrs.type?.replace(/_unavailable_fanout$/, '');
  if (type === 'bot' || content.some(({ tag }) => tag === 'bot')) return 'bot';
  if (type === 'hosted' || attrs.hosted === 'true') return 'hosted';
  return type === 'view_once' ? 'viewOnce' : null;
};

/** Whether the stanza changes or marks another message; if it cannot be read, no placeholder is reported. */
const isAboutAnother = ({ attrs, content }: BinaryNode): boolean =>
  attrs.edit !== undefined ||
  attrs.type === 'reaction' ||
  (Array.isArray(content) && content.some((child) => child.attrs['decrypt-fail'] === 'hide'));

const senderOf = ({ attrs }: BinaryNode): string => plainJid(attrs.participant ?? attrs.from ?? '');

export class Placeholders {
  readonly #options: PlaceholdersOptions;
  readonly list: PlaceholderList;
  /** How often each message could not be decrypted. */
  readonly #failures = boundedCache<number>(2_000);
  readonly #budgets = boundedCache<{ readonly since: number; count: number }>(500);
  /** Messages that their sender is not asked for any more, by id. */
  readonly #spent = boundedCache<true>(500);
  #asking = false;
  #timer = false;

  constructor(options: PlaceholdersOptions) {
    this.#options = options;
    this.list = new PlaceholderList(options);
  }

  /** True once the retries of this message, or those of its sender for now, are spent. */
  readonly isSpent = (id: string): boolean => this.#spent.get(id) === true;

  /** A stanza without content: told, and listed where the phone may have more. Resolves once that is written. */
  async take(stanza: BinaryNode): Promise<void> {
    const { deviceId, commit, log } = this.#options;
    await this.list.load();
    const withheld = withheldAs(stanza);
    if (withheld !== null) return commit(stanza, this.#told(stanza, withheld));
    const listed = this.list.put(this.#placeholder(stanza, null));
    await commit(stanza, { ...this.#told(stanza, 'waiting'), keys: [listed] });
    log.debug({ deviceId }, 'a message arrived without its content; asking the phone for it');
    this.#askSoon();
  }

  /** A message that could not be decrypted: told once its retries are spent, listed until then. */
  async undecryptable(stanza: BinaryNode): Promise<void> {
    if (isAboutAnother(stanza) || stanza.attrs.category === 'peer') return;
    const { commit, clock } = this.#options;
    await this.list.load();
    const name = `${senderOf(stanza)} ${stanza.attrs.id}`;
    const count = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, count);
    const isSpent = count > maxRetries || !this.#allows(senderOf(stanza));
    if (isSpent) this.#spent.set(stanza.attrs.id ?? '', true);
    if (isSpent) return this.#giveUp(stanza);
    if (count > 1) return;
    await commit(stanza, { keys: [this.list.put(this.#placeholder(stanza, stanza.attrs))] });
    if (!this.#timer) clock.after(retriesLastMs, () => void this.#tellOverdue());
    this.#timer = true;
  }

  /** On each connection: what was not told in time is told, and the phone is asked for all that is listed. */
  async begin(): Promise<void> {
    await this.list.load();
    await this.#tellOverdue();
    this.#askSoon();
  }

  /** The changes of decrypted messages, those merged that were told before without their content. `fromPhone`: handed over by it. */
  async merged(changes: SessionChanges, fromPhone: boolean): Promise<SessionChanges> {
    let merged = changes;
    for (const record of changes.messages ?? []) {
      if (fromPhone || this.list.mayHave(record.id)) merged = await this.#merge(merged, record);
    }
    return merged;
  }

  async #merge(changes: SessionChanges, record: MessageRecord): Promise<SessionChanges> {
    const { deviceId, messages } = this.#options;
    const known =
      (await messages.find(deviceId, record.id, record.chat, true)) ??
      (record.chatLid === null ? null : await messages.find(deviceId, record.id, record.chatLid, true));
    const dropped = this.list.drop(record.id);
    const keys = [...(changes.keys ?? []), ...(dropped === null ? [] : [dropped])];
    if (!known?.unavailable) return { ...changes, keys };
    const { chat, timestamp, pushName } = known;
    const arrived = { ...record, chat, timestamp, pushName: pushName ?? record.pushName };
    const isOfRecord = ({ event }: { readonly event: { readonly type: string; readonly data: object } }): boolean =>
      (event.type === 'message.received' || event.type === 'message.sent') &&
      'message' in event.data &&
      typeof event.data.message === 'object' &&
      event.data.message !== null &&
      'id' in event.data.message &&
      event.data.message.id === record.id;
    return {
      ...changes,
      keys,
      messages: (changes.messages ?? []).filter((each) => each !== record),
      messageChanges: [{ messageId: record.id, chat, arrived }, ...(changes.messageChanges ?? [])],
      events: [
        ...(changes.events ?? []).filter((event) => !isOfRecord(event)),
        arrivedEvent(arrived, this.#options.clock.now()),
      ],
    };
  }

  async #giveUp(stanza: BinaryNode): Promise<void> {
    const listed = this.list.put(this.#placeholder(stanza, null));
    await this.#options.commit(stanza, { ...this.#told(stanza, 'undecryptable'), keys: [listed] });
    this.#askSoon();
  }

  async #tellOverdue(): Promise<void> {
    const { clock, store, log } = this.#options;
    this.#timer = false;
    const untold = this.list.all.filter((each) => each.untold !== null);
    const overdue = untold.filter(({ at }) => at <= clock.now() - retriesLastMs);
    try {
      for (const { untold: attrs } of overdue) {
        if (!store.broken) await this.#giveUp({ tag: 'message', attrs: { ...attrs! } });
      }
    } catch (error) {
      log.warn({ err: error }, 'failed to report undecryptable messages');
    }
    if (store.broken || untold.length === overdue.length) return;
    this.#timer = true;
    clock.after(retriesLastMs, () => void this.#tellOverdue());
  }

  #told(stanza: BinaryNode, unavailable: Unavailable): SessionChanges {
    return translateUnavailable(stanza, unavailable, this.#options.context());
  }

  #placeholder(stanza: BinaryNode, untold: BinaryNode['attrs'] | null) {
    const { me, peek, now } = this.#options.context();
    const { id = '', from = '', participant, recipient } = stanza.attrs;
    const fromMe = isMe(me, participant ?? from);
    const remoteJid = jidNormalizedUser(fromMe && recipient !== undefined ? recipient : from);
    const key = { remoteJid, fromMe, id, ...(participant === undefined ? {} : { participant: plainJid(participant) }) };
    const at = envelopeOf(stanza, me, peek, now) === null ? 0 : now;
    return { id: plainId(id), sender: senderOf(stanza), at, key, untold };
  }

  #allows(sender: string): boolean {
    const now = this.#options.clock.now();
    const known = this.#budgets.get(sender);
    const budget = known !== undefined && known.since > now - minuteMs ? known : { since: now, count: 0 };
    budget.count += 1;
    this.#budgets.set(sender, budget);
    return budget.count <= retryBudget;
  }

  /** Requests the messages of one turn of the event loop together. */
  #askSoon(): void {
    if (this.#asking) return;
    this.#asking = true;
    setImmediate(() => {
      this.#asking = false;
      void this.#ask();
    });
  }

  readonly #asked = new Set<string>();

  /** Once on a connection for each message. */
  async #ask(): Promise<void> {
    const { log } = this.#options;
    const open = this.list.all.filter(({ id, untold }) => untold === null && !this.#asked.has(id));
    for (let start = 0; start < open.length; start += maxAsked) {
      const asked = open.slice(start, start + maxAsked);
      for (const { id } of asked) this.#asked.add(id);
      try {
        await this.#request(asked);
      } catch (error) {
        for (const { id } of asked) this.#asked.delete(id);
        log.debug({ err: error }, 'failed to ask the phone for messages');
        return;
      }
    }
  }

  /** As whatsmeow words it (message.go, 2026-07). */
  #request(asked: readonly Placeholder[]): Promise<void> {
    return this.#options.toPhone({
      type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE,
      peerDataOperationRequestMessage: {
        peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
        placeholderMessageResendRequest: asked.map(({ key: messageKey }) => ({ messageKey })),
      },
    });
  }
}
