/**
 * Filters events that report a step of a stored message (accepted, delivered): when its row shows that the step was taken before,
 * there is nothing to report.
 */
import type { SessionChanges } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import { type Step, isStep } from './message-steps.ts';

interface Report {
  readonly state: 'accepted' | 'delivered';
  readonly chat: string;
  /** The chat's other name, under which the message may be stored. */
  readonly chatLid: string | null;
  readonly messageId: string;
}

/** The step that an event reports; null for other events. `read` does not count, because `played` is the same step and another event. */
const reportOf = ({ event }: NewEvent): Report | null => {
  if (event.type === 'message.sent' && event.data.source === 'api') {
    const { chat, chatLid, id } = event.data.message;
    return { state: 'accepted', chat, chatLid, messageId: id };
  }
  if (event.type !== 'message.updated') return null;
  const { update, chat, chatLid, messageId } = event.data;
  return 'status' in update && update.status === 'delivered' ? { state: 'delivered', chat, chatLid, messageId } : null;
};

const isOf = ({ state, chat, chatLid, messageId }: Report, change: MessageChange | undefined): change is Step =>
  change !== undefined &&
  change.messageId === messageId &&
  (change.chat === chat || change.chat === chatLid) &&
  isStep(change) &&
  change.step.state === state;

/** Maps events to the steps that they report in the same unit of work. */
export const reportedSteps = ({
  events = [],
  messageChanges = [],
}: Pick<SessionChanges, 'events' | 'messageChanges'>): ReadonlyMap<NewEvent, Step> => {
  const steps = new Map<NewEvent, Step>();
  if (messageChanges.length === 0) return steps;
  let byId: Map<string, MessageChange[]> | null = null;
  for (const [index, wanted] of events.entries()) {
    const told = reportOf(wanted);
    if (told === null) continue;
    // Mostly each event comes with its step, in the same place.
    const beside = messageChanges[index];
    if (isOf(told, beside)) {
      steps.set(wanted, beside);
      continue;
    }
    byId ??= Map.groupBy(messageChanges, ({ messageId }) => messageId);
    const step = byId.get(told.messageId)?.find((change) => isOf(told, change));
    if (step !== undefined) steps.set(wanted, step);
  }
  return steps;
};
