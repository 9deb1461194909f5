/** What a person reads at once may be receipted before the phone's copy of it gets here: the receipt waits for the message. */
import type { SessionChanges } from '../domain/changes.ts';
import type { Portion } from './bounded-cache.ts';
import { changeOf, type ReceiptStep, statusEvent } from './translate/receipt.ts';

/** By message id. */
export type EarlyReceipts = Portion<readonly ReceiptStep[]>;

/** Steps of one message that are kept: one of each status, of a few people. */
const mostKept = 16;

/** Before the receipt is acknowledged: the message may be translated meanwhile. One step of a kind is kept. */
export const keepEarly = (early: EarlyReceipts, steps: readonly ReceiptStep[]): void => {
  for (const step of steps) {
    const kept = early.get(step.messageId) ?? [];
    if (kept.some((other) => isSame(other, step))) continue;
    early.set(step.messageId, [...kept.slice(1 - mostKept), step]);
  }
};

const isSame = (one: ReceiptStep, other: ReceiptStep): boolean =>
  one.chat === other.chat && one.status === other.status && one.reader?.jid === other.reader?.jid;

/** The changes of a decrypted message, with what its receipts have told already. */
export const withEarly = (early: EarlyReceipts, changes: SessionChanges): SessionChanges => {
  const { messages = [], messageChanges = [], events = [] } = changes;
  // Mostly they are somebody else's.
  if (!messages.some(({ direction }) => direction === 'out')) return changes;
  const steps = messages.flatMap(({ id, direction, chat, chatNumber, chatLid }) => {
    if (direction !== 'out') return [];
    const place = { chat, chatNumber, chatLid };
    const kept = (early.get(id) ?? []).filter((step) => step.chat === chat || step.chat === chatLid);
    return kept.map((step): ReceiptStep => ({ ...step, chat, place }));
  });
  if (steps.length === 0) return changes;
  return {
    ...changes,
    messageChanges: [...messageChanges, ...steps.map((step) => changeOf(step, step.chat))],
    events: [...events, ...steps.map((step) => statusEvent(step, step.chat))],
  };
};
