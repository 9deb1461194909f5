/** What a person reads at once may be receipted before the phone's copy of it gets here: the receipt waits for the message. */
import type { SessionChanges } from '../domain/changes.ts';
import type { MessageChange } from '../domain/message.ts';
import type { Portion } from './bounded-cache.ts';

/** By message id. */
export type EarlyReceipts = Portion<readonly MessageChange[]>;

/** Before the receipt is committed: the message may be translated meanwhile. One step of a kind is kept. */
export const keepEarly = (early: EarlyReceipts, steps: readonly MessageChange[]): void => {
  for (const step of steps) {
    const kept = early.get(step.messageId) ?? [];
    if (kept.some((other) => other.chat === step.chat && other.step?.state === step.step?.state)) continue;
    early.set(step.messageId, [...kept.slice(-3), step]);
  }
};

/** The changes of a decrypted message, with the steps that its receipts have told already. */
export const withEarly = (early: EarlyReceipts, changes: SessionChanges): SessionChanges => {
  const { messages = [] } = changes;
  // Mostly they are somebody else's.
  if (!messages.some(({ direction }) => direction === 'out')) return changes;
  const steps = messages.flatMap(({ id, direction, chat, chatLid }) =>
    direction === 'out' ? (early.get(id) ?? []).filter((step) => step.chat === chat || step.chat === chatLid) : [],
  );
  return steps.length === 0 ? changes : { ...changes, messageChanges: [...(changes.messageChanges ?? []), ...steps] };
};
