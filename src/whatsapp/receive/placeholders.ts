/**
 * Messages without content: withheld by the network (`<unavailable>`), first ones of Click-to-WhatsApp advertisements (no `<enc>`; WAHA
 * #2267, 2026), and undecryptable ones after all retries. Each is reported at once as `unknown`; the phone is asked for it now and on
 * each connection for three days, and its answer updates the message.
 */
import { jidNormalizedUser } from '../library/jid.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Unavailable } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { type Placeholder, PlaceholderList } from './placeholder-list.ts';
import type { SendToPhone } from '../send/peer-message.ts';
import type { SessionStore } from '../state/session-store.ts';
import { envelopeOf, plainId } from '../translate/parts/envelope.ts';
import { translateUnavailable } from '../translate/message.ts';
import type { TranslationContext } from '../translate/acts.ts';
import { isMe, plainJid } from '../identity/people.ts';

export interface PlaceholdersOptions {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly context: () => TranslationContext;
  readonly commit: (stanza: BinaryNode, changes: SessionChanges) => Promise<void>;
  readonly toPhone: SendToPhone;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Failures of one message after which its sender is not asked again. */
const maxRetries = 5;
const retryBudget = 20;
const minuteMs = 60_000;
/** Retry requests are not answered later than this. */
const retriesLastMs = 60 * minuteMs;
const maxAsked = 50;

const hasContent = ({ content }: BinaryNode): boolean =>
  Array.isArray(content) &&
  content.some((child) => (child.tag === 'enc' || child.tag === 'plaintext') && child.content instanceof Uint8Array);

export const isPlaceholder = (node: BinaryNode): boolean => {
  const { id, from = '', category } = node.attrs;
  return id !== undefined && category !== 'peer' && !from.endsWith('@newsletter') && !hasContent(node);
};

/**
 * Null if the phone may have it (`<unavailable>` of type `view_once`, with `hosted="true"`, or beside `<bot>`: zapo WaRetryCoordinator,
 * 2026-08; types that end in `_unavailable_fanout`: WhatsApp Web, 2026-07).
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

/** Changes or marks another message: if unreadable, no placeholder is reported. */
const isAboutAnother = ({ attrs, content }: BinaryNode): boolean =>
  attrs.edit !== undefined ||
  attrs.type === 'reaction' ||
  (Array.isArray(content) && content.some((child) => child.attrs['decrypt-fail'] === 'hide'));

const senderOf = ({ attrs }: BinaryNode): string => plainJid(attrs.participant ?? attrs.from ?? '');

export class Placeholders {
  readonly #options: PlaceholdersOptions;
  readonly list: PlaceholderList;
  readonly #failures = boundedCache<number>(2_000);
  readonly #budgets = boundedCache<{ readonly since: number; count: number }>(500);
  #asking = false;
  #timer = false;

  constructor(options: PlaceholdersOptions) {
    this.#options = options;
    this.list = new PlaceholderList(options);
  }

  /** A stanza without content: reported, and listed if the phone may have more. Resolves once written. */
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

  /** Listed until its retries are spent, then reported. Returns the number of the retry to request; null once they are spent. */
  async undecryptable(stanza: BinaryNode): Promise<number | null> {
    const { commit, clock } = this.#options;
    await this.list.load();
    const name = `${senderOf(stanza)} ${stanza.attrs.id}`;
    const count = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, count);
    const isSpent = count > maxRetries || !this.#allows(senderOf(stanza));
    if (isSpent) {
      if (!isAboutAnother(stanza)) await this.#giveUp(stanza);
      return null;
    }
    if (count > 1 || isAboutAnother(stanza)) return count;
    await commit(stanza, { keys: [this.list.put(this.#placeholder(stanza, stanza.attrs))] });
    if (!this.#timer) clock.after(retriesLastMs, () => void this.#tellOverdue());
    this.#timer = true;
    return count;
  }

  /** On each connection: reports overdue ones, and asks the phone for all that are listed. */
  async begin(): Promise<void> {
    await this.list.load();
    await this.#tellOverdue();
    this.#askSoon();
  }

  /** Merges messages reported earlier without content. `fromPhone`: sent by the phone on request. */
  async merged(changes: SessionChanges, fromPhone: boolean): Promise<SessionChanges> {
    let merged = changes;
    for (const record of changes.messages ?? []) {
      if (fromPhone || this.list.mayHave(record.id)) merged = await this.#merge(merged, record);
    }
    return merged;
  }

  async #merge(changes: SessionChanges, record: MessageRecord): Promise<SessionChanges> {
    const { deviceId, messages, clock } = this.#options;
    const known =
      (await messages.find(deviceId, record.id, record.chat, true)) ??
      (record.chatLid === null ? null : await messages.find(deviceId, record.id, record.chatLid, true));
    const dropped = this.list.drop(record.id);
    const keys = [...(changes.keys ?? []), ...(dropped === null ? [] : [dropped])];
    if (!known?.unavailable) return { ...changes, keys };
    const { chat, timestamp, pushName } = known;
    const arrived = { ...record, chat, timestamp, pushName: pushName ?? record.pushName };
    return {
      ...changes,
      keys,
      messages: (changes.messages ?? []).filter((each) => each !== record),
      messageChanges: [{ messageId: record.id, chat, arrived }, ...(changes.messageChanges ?? [])],
      facts: (changes.facts ?? []).map((fact) =>
        'arrived' in fact && fact.arrived === record ? { completed: arrived, at: clock.now() } : fact,
      ),
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

  /** Same wording as whatsmeow (message.go, 2026-07). */
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
