/**
 * Receipts from the stanza to the change, many at a time. A receipt may arrive before the copy of a message sent from the phone: such
 * receipts are kept, in bounded number, until the message comes.
 */
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { KeptValue, type KeptValueOptions } from '../state/kept-value.ts';
import { annotationsOf, type ReceiptStep, readElsewhere, translateReceipt } from '../translate/receipt.ts';
import { setImmediate } from 'node:timers/promises';
import type { Line } from '../socket/line.ts';
import { type BinaryNode, buildAckStanza } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Earlier, StanzaSource } from '../socket/socket.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import type { Annotation } from '../../domain/messages/annotation.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { statusJid } from '../../domain/messages/statuses.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { acceptedKey, withProven } from '../send/acceptance.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { isAnswered, plainId } from '../translate/parts/envelope.ts';
import { meOf, plainJid } from '../identity/people.ts';
import { tellsUsername } from '../identity/usernames.ts';

interface EarlyStep extends ReceiptStep {
  readonly cameAt: number;
}

/** Bounded, so that nobody fills the store with receipts of nonexistent messages. */
const perDevice = 64;
const perSender = 16;
const lifeMs = 3 * 86_400_000;

const senderOf = ({ chat, reader }: ReceiptStep): string => reader?.jid ?? chat;

const nameOf = (step: ReceiptStep): string => [step.messageId, step.status, senderOf(step)].join(' ');

const distinct = <T extends ReceiptStep>(steps: readonly T[]): readonly T[] => {
  const names = new Set<string>();
  return steps.filter((step) => {
    const name = nameOf(step);
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
};

const isAbout = ({ messageId, chat, place }: ReceiptStep, record: MessageRecord): boolean =>
  messageId === record.id &&
  [chat, place.chatLid].some((name) => name !== null && (name === record.chat || name === record.chatLid));

// The newest of each sender.
const bounded = (steps: readonly EarlyStep[]): readonly EarlyStep[] => {
  const ofSender = new Map<string, number>();
  const kept = steps.toReversed().filter((step) => {
    const count = (ofSender.get(senderOf(step)) ?? 0) + 1;
    ofSender.set(senderOf(step), count);
    return count <= perSender;
  });
  return kept.slice(0, perDevice).toReversed();
};

interface EarlyReceiptsOptions extends KeptValueOptions {
  readonly clock: Clock;
}

export class EarlyReceipts {
  readonly #clock: Clock;
  readonly #kept: KeptValue<readonly EarlyStep[]>;
  #lookedFor: readonly ReceiptStep[] = [];

  constructor(options: EarlyReceiptsOptions) {
    this.#clock = options.clock;
    this.#kept = new KeptValue<readonly EarlyStep[]>(options, 'early-receipts', []);
  }

  load(): Promise<void> {
    return this.#kept.load();
  }

  /** Call before the messages of these steps are looked up: one may be written meanwhile. */
  lookFor(steps: readonly ReceiptStep[]): void {
    this.#lookedFor = steps;
  }

  /** Committed with the acknowledgement. A step stays after its message has come, as that commit may fail; its event is written once. */
  keep(steps: readonly ReceiptStep[]): readonly KeyChange[] {
    this.#lookedFor = [];
    if (steps.length === 0) return [];
    const now = this.#clock.now();
    const alive = this.#kept.value.filter(({ cameAt }) => cameAt >= now - lifeMs);
    const all = distinct([...alive, ...steps.map((step) => ({ ...step, cameAt: now }))]);
    if (all.length === alive.length) return [];
    return [this.#kept.write(bounded(all))];
  }

  async merged(changes: SessionChanges): Promise<SessionChanges> {
    const { messages = [], annotations = [], facts = [] } = changes;
    const ours = messages.filter(({ direction }) => direction === 'out');
    if (ours.length === 0) return changes;
    await this.load();
    const steps = ours.flatMap((record) => {
      const { chat, chatNumber, chatLid } = record;
      const early = [...this.#kept.value, ...this.#lookedFor].filter((step) => isAbout(step, record));
      return distinct(early).map((step): ReceiptStep => ({ ...step, chat, place: { chat, chatNumber, chatLid } }));
    });
    if (steps.length === 0) return changes;
    return {
      ...changes,
      annotations: [...annotations, ...steps.flatMap((step) => annotationsOf(step, step.chat))],
      facts: [...facts, ...steps.map((receipt) => ({ receipt, chat: receipt.chat }))],
    };
  }
}

export interface ReceiptsOptions {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly early: EarlyReceipts;
  /** The changes of those about the account's statuses. */
  readonly statusesSeen: (receipts: readonly BinaryNode[]) => Promise<SessionChanges>;
  readonly creds: AuthenticationCreds;
  readonly commit: (nodes: readonly BinaryNode[], changes: SessionChanges) => Promise<void>;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface TogetherHook {
  readonly earlier: Earlier;
  readonly handle: (nodes: readonly BinaryNode[]) => Promise<void>;
  readonly acknowledge: (nodes: readonly BinaryNode[]) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Batch cap, so that a burst of stanzas cannot block the event loop. */
const maxTogether = 64;

/** In order of arrival, in batches of those that wait together. */
export const takeReceipts = (socket: StanzaSource, { earlier, handle, acknowledge, onFailure }: TogetherHook): void => {
  let waiting: BinaryNode[] = [];
  let before: Promise<void> | null = null;
  let running = false;
  const run = async (): Promise<void> => {
    // Batches the messages of one turn of the event loop.
    await setImmediate();
    try {
      while (waiting.length > 0) {
        const nodes = waiting.splice(0, maxTogether);
        if (before !== null) await before;
        if (!socket.isOpen) waiting = [];
        else await handle(nodes);
        if (socket.isOpen) acknowledge(nodes);
      }
    } catch (error) {
      waiting = [];
      onFailure(error);
    }
    running = false;
  };
  socket.stanzas.on('receipt', (node) => {
    waiting.push(node);
    before = earlier();
    if (!running) void run();
    running = true;
  });
};

const hourMs = 3_600_000;
const seenAtOnce = 100;

export class Receipts {
  readonly #options: ReceiptsOptions;
  readonly #asked = boundedCache<true>(500, hourMs);

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  /** `resend` handles and acknowledges those that request a message again; false for others. */
  attach(
    socket: StanzaSource,
    earlier: Earlier,
    line: Pick<Line, 'sendInPassing'>,
    resend: (receipt: BinaryNode) => boolean,
  ): void {
    const { clock, onStoreFailure: onFailure } = this.#options;
    const acknowledge = (nodes: readonly BinaryNode[]): void => {
      const acks: BinaryNode[] = [];
      for (const node of nodes) if (!isAnswered(node, clock.now()) || !resend(node)) acks.push(buildAckStanza(node));
      if (acks.length > 0) line.sendInPassing(acks);
    };
    takeReceipts(socket, { earlier, handle: this.#handle, acknowledge, onFailure });
  }

  readonly #handle = async (nodes: readonly BinaryNode[]): Promise<void> => {
    const { creds, early, lidMapping, memory, commit, statusesSeen, clock, log } = this.#options;
    const { peek } = lidMapping;
    for (const node of nodes) await lidMapping.recall(node);
    for (const node of nodes) {
      const { from = '', sender_pn: told } = node.attrs;
      const lid = plainJid(from);
      const isOfNobody = told === undefined && jidKind(lid) === 'lid' && peek(lid).phone === null;
      if (isOfNobody) await this.#askWhose(lid, node);
    }
    // Their events have the usernames from the stanzas.
    if (nodes.some(tellsUsername)) await commit(nodes, {});
    const context = { me: meOf(creds), peek, now: clock.now(), wordless: memory.wordless };
    const steps: ReceiptStep[] = [];
    for (const node of nodes) {
      try {
        steps.push(...translateReceipt(node, context));
      } catch (error) {
        log.error({ kind: 'receipt', error: messageOf(error) }, 'failed to translate a stanza');
      }
    }
    const chats: ChatChange[] = [];
    const ofStatuses: BinaryNode[] = [];
    for (const node of nodes) {
      if (node.attrs.from === statusJid) ofStatuses.push(node);
      // Usually a delivery receipt.
      const change = node.attrs.type === undefined ? null : readElsewhere(node, context);
      if (change !== null) chats.push(change);
    }
    const seen = ofStatuses.length === 0 ? {} : await this.#keepSeen(await statusesSeen(ofStatuses));
    const wanted: ReceiptStep[] = [];
    for (const step of steps)
      if (memory.accepted.get(acceptedKey(step.messageId, step.chat)) === undefined) wanted.push(step);
    if (wanted.length > 0) {
      await early.load();
      early.lookFor(wanted);
    }
    await withProven({ ...this.#options, me: () => context.me }, steps, async (proven, storedIn) => {
      const annotations: Annotation[] = [...(proven.annotations ?? [])];
      const facts = [...(proven.facts ?? []), ...(seen.facts ?? [])];
      const unknown: ReceiptStep[] = [];
      for (const step of steps) {
        const chat = storedIn.get(step);
        if (chat === undefined) unknown.push(step);
        if (chat === undefined || memory.wordless.get(step.messageId) !== undefined) continue;
        annotations.push(...annotationsOf(step, chat));
        facts.push({ receipt: step, chat });
      }
      // A receipt for an unknown message makes no event but is kept: a message sent from the phone may be under way.
      const keys = wanted.length === 0 ? [] : early.keep(unknown);
      await commit(nodes, { ...proven, ...seen, keys, annotations, facts, chats });
    });
  };

  /** One receipt may tell of a thousand people: all but the last of them are written before, in parts. Told again, they are the same. */
  async #keepSeen({ statuses = [], facts = [] }: SessionChanges): Promise<Pick<SessionChanges, 'statuses' | 'facts'>> {
    let from = 0;
    for (; from + seenAtOnce < Math.max(statuses.length, facts.length); from += seenAtOnce) {
      const to = from + seenAtOnce;
      await this.#options.commit([], { statuses: statuses.slice(from, to), facts: facts.slice(from, to) });
    }
    return { statuses: statuses.slice(from), facts: facts.slice(from) };
  }

  /** The recipient may have a new LID; only the network can confirm whose it is (once an hour per pair). A message id proves nothing. */
  async #askWhose(lid: Jid, { attrs }: BinaryNode): Promise<void> {
    const { deviceId, messages, lidMapping, log } = this.#options;
    const record = await messages.find(deviceId, plainId(attrs.id ?? ''), undefined, true);
    if (record?.direction !== 'out' || jidKind(record.chat) !== 'phone') return;
    const pair = `${lid} ${record.chat}`;
    if (this.#asked.get(pair) === true) return;
    this.#asked.set(pair, true);
    try {
      await lidMapping.refresh(record.chat);
    } catch (error) {
      this.#asked.delete(pair);
      log.debug({ deviceId, error: messageOf(error) }, 'failed to ask for the LID of a receipt');
    }
  }
}
