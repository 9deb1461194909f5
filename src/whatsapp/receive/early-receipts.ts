/**
 * Receipts that came before the message which they are about: what is written on the phone and read at once may be
 * receipted before the phone's copy of it gets here. They are kept with the session, in bounded number, until it comes.
 */
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { KeptValue, type KeptValueOptions } from '../state/kept-value.ts';
import { annotationsOf, changeOf, type ReceiptStep, statusEvent } from '../translate/receipt.ts';

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

/** The first of each name. */
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

/** The newest of each sender. */
const bounded = (steps: readonly EarlyStep[]): readonly EarlyStep[] => {
  const ofSender = new Map<string, number>();
  const kept = steps.toReversed().filter((step) => {
    const count = (ofSender.get(senderOf(step)) ?? 0) + 1;
    ofSender.set(senderOf(step), count);
    return count <= perSender;
  });
  return kept.slice(0, perDevice).toReversed();
};

export interface EarlyReceiptsOptions extends KeptValueOptions {
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
    // Mostly they are somebody else's.
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
