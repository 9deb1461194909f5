/**
 * Receipts from the stanza to the change, many at a time. What is written on the phone may be receipted before its copy gets here: such receipts are kept,
 * in bounded number, until the message comes.
 */
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { KeptValue, type KeptValueOptions } from '../state/kept-value.ts';
import {
  annotationsOf,
  changeOf,
  type ReceiptStep,
  statusEvent,
  readElsewhere,
  translateReceipt,
} from '../translate/receipt.ts';
import { setImmediate } from 'node:timers/promises';
import type { Line } from '../engine/line/line.ts';
import { type BinaryNode, buildAckStanza } from '../engine/nodes.ts';
import {
  type Earlier,
  type Handler,
  type Replaced,
  replaceListener,
  type StanzaSource,
} from '../engine/stanza-hooks.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import type { Annotation } from '../../domain/messages/annotation.ts';
import { jidKind } from '../../domain/jid.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { acceptedKey, withProven } from '../send/acceptance.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { isAnswered, plainId } from '../translate/parts/envelope.ts';
import type { TranslationContext } from '../translate/message.ts';
import { plainJid } from '../identity/people.ts';

interface EarlyStep extends ReceiptStep {
  /** When it came, ms. */
  readonly cameAt: number;
}

/** Bounds, so that nobody fills the store with receipts of messages that never come. */
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

  /** Must be awaited before the other methods are called. */
  load(): Promise<void> {
    return this.#kept.load();
  }

  /** Before the messages of these steps are looked for in the store: one may be decrypted and written meanwhile. */
  lookFor(steps: readonly ReceiptStep[]): void {
    this.#lookedFor = steps;
  }

  /**
   * Keeps the steps whose message is not there; the change of the store goes with their
   * acknowledgement. A step stays after its message has come: the commit of the message may fail, and an event is told once.
   */
  keep(steps: readonly ReceiptStep[]): readonly KeyChange[] {
    this.#lookedFor = [];
    if (steps.length === 0) return [];
    const now = this.#clock.now();
    const alive = this.#kept.value.filter(({ cameAt }) => cameAt >= now - lifeMs);
    const all = distinct([...alive, ...steps.map((step) => ({ ...step, cameAt: now }))]);
    if (all.length === alive.length) return [];
    return [this.#kept.write(bounded(all))];
  }

  /** The changes of decrypted messages, with what their receipts have told already. */
  async merged(changes: SessionChanges): Promise<SessionChanges> {
    const { messages = [], messageChanges = [], annotations = [], events = [] } = changes;
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
      messageChanges: [...messageChanges, ...steps.map((step) => changeOf(step, step.chat))],
      annotations: [...annotations, ...steps.flatMap((step) => annotationsOf(step, step.chat))],
      events: [...events, ...steps.map((step) => statusEvent(step, step.chat))],
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
  readonly context: () => TranslationContext;
  /** Brings what the store knows of the stanza's addresses into memory. */
  readonly recall: (node: BinaryNode) => Promise<void>;
  readonly commit: (nodes: readonly BinaryNode[], changes: SessionChanges) => Promise<void>;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface TogetherHook {
  readonly event: Replaced;
  readonly earlier?: Earlier;
  readonly first: (nodes: readonly BinaryNode[]) => Promise<void>;
  /** `engine`: Baileys' own handling. */
  readonly last: (nodes: readonly BinaryNode[], engine: Handler) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Batch cap, so that a burst of stanzas cannot block the event loop. */
const maxTogether = 64;

/** As `runBefore`, for all stanzas at once that wait at the same time. */
export const runTogether = (socket: StanzaSource, { event, earlier, first, last, onFailure }: TogetherHook): void => {
  let waiting: BinaryNode[] = [];
  /** Resolves when what came before the newest that waits has been handled. */
  let before: Promise<void> | null = null;
  let running = false;
  const run = async (): Promise<void> => {
    // Messages of one turn of the event loop go together.
    await setImmediate();
    try {
      while (waiting.length > 0) {
        const nodes = waiting.splice(0, maxTogether);
        if (before !== null) await before;
        if (!socket.isOpen) waiting = [];
        else await first(nodes);
        if (socket.isOpen) last(nodes, engine);
      }
    } catch (error) {
      waiting = [];
      onFailure(error);
    }
    running = false;
  };
  const engine = replaceListener(socket, event, (node) => {
    waiting.push(node);
    before = earlier?.() ?? null;
    if (!running) void run();
    running = true;
  });
};

const hourMs = 3_600_000;

export class Receipts {
  readonly #options: ReceiptsOptions;
  /** Pairs of a LID and a phone JID that the network was asked about. */
  readonly #asked = boundedCache<true>(500, hourMs);

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  /** Baileys needs to see only those that ask for something; the others are acknowledged. */
  attach(socket: StanzaSource, earlier: Earlier, line: Pick<Line, 'sendInPassing'>): void {
    const { clock, onStoreFailure: onFailure } = this.#options;
    const last = (nodes: readonly BinaryNode[], engine: (node: BinaryNode) => unknown): void => {
      const acks: BinaryNode[] = [];
      for (const node of nodes) {
        if (isAnswered(node, clock.now())) engine(node);
        else acks.push(buildAckStanza(node));
      }
      if (acks.length > 0) line.sendInPassing(acks);
    };
    runTogether(socket, { event: 'CB:receipt', earlier, first: this.#handle, last, onFailure });
  }

  readonly #handle = async (nodes: readonly BinaryNode[]): Promise<void> => {
    const { early, memory, recall, commit, log } = this.#options;
    for (const node of nodes) await recall(node);
    for (const node of nodes) if (this.#isOfNobody(node)) await this.#askWhose(node);
    const context = { ...this.#options.context(), wordless: memory.wordless };
    const steps: ReceiptStep[] = [];
    for (const node of nodes) {
      try {
        steps.push(...translateReceipt(node, context));
      } catch (error) {
        log.error({ kind: 'receipt', error: messageOf(error) }, 'failed to translate a stanza');
      }
    }
    const chats: ChatChange[] = [];
    for (const node of nodes) {
      // Mostly it is one of a delivery.
      const change = node.attrs.type === undefined ? null : readElsewhere(node, context);
      if (change !== null) chats.push(change);
    }
    const wanted: ReceiptStep[] = [];
    for (const step of steps)
      if (memory.accepted.get(acceptedKey(step.messageId, step.chat)) === undefined) wanted.push(step);
    if (wanted.length > 0) {
      await early.load();
      early.lookFor(wanted);
    }
    await withProven({ ...this.#options, me: () => context.me }, steps, async (proven, storedIn) => {
      const messageChanges = [...(proven.messageChanges ?? [])];
      const annotations: Annotation[] = [...(proven.annotations ?? [])];
      const events = [...(proven.events ?? [])];
      const unknown: ReceiptStep[] = [];
      for (const step of steps) {
        const chat = storedIn.get(step);
        if (chat === undefined) unknown.push(step);
        if (chat === undefined || memory.wordless.get(step.messageId) !== undefined) continue;
        messageChanges.push(changeOf(step, chat));
        annotations.push(...annotationsOf(step, chat));
        events.push(statusEvent(step, chat));
      }
      // A receipt for an unknown message makes no event. It is kept: a message written on the phone may be on its way.
      const keys = wanted.length === 0 ? [] : early.keep(unknown);
      await commit(nodes, { ...proven, keys, messageChanges, annotations, events, chats });
    });
  };

  /** From a LID that nobody has told the number of. */
  #isOfNobody({ attrs: { from = '', sender_pn: told } }: BinaryNode): boolean {
    const lid = plainJid(from);
    return told === undefined && jidKind(lid) === 'lid' && this.#options.lidMapping.peek(lid).phone === null;
  }

  /**
   * The person may have got another LID since the message was sent, or had none that was known. Whose LID it is, only the
   * network can tell: it is asked for the LID of the message's recipient, once an hour for such a pair. The id of a message
   * proves nothing: a stranger may know it.
   */
  async #askWhose({ attrs }: BinaryNode): Promise<void> {
    const { deviceId, messages, lidMapping, log } = this.#options;
    const record = await messages.find(deviceId, plainId(attrs.id ?? ''), undefined, true);
    if (record?.direction !== 'out' || jidKind(record.chat) !== 'phone') return;
    const pair = `${plainJid(attrs.from ?? '')} ${record.chat}`;
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
