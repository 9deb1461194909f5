/**
 * Events that tell of a step of a kept message (accepted, delivered): where the row knows that the step was taken before, there is
 * nothing to tell.
 */
import type { SessionChanges } from '../domain/changes.ts';
import type { NewEvent } from '../domain/event.ts';
import { type Step, isStep } from './message-steps.ts';

const nameOf = (state: string, chat: string, id: string): string => `${state} ${chat} ${id}`;

/** The step that an event tells of; null for all others. `read` is not one: `played` is the same step, and another event. */
const stepOf = ({ event }: NewEvent): string | null => {
  if (event.type === 'message.sent' && event.data.source === 'api')
    return nameOf('accepted', event.data.message.chat, event.data.message.id);
  if (event.type !== 'message.updated') return null;
  const { update } = event.data;
  if (!('status' in update) || update.status !== 'delivered') return null;
  return nameOf('delivered', event.data.chat, event.data.messageId);
};

/** The steps that are told in the same unit of work, by their events. */
export const toldSteps = ({
  events = [],
  messageChanges = [],
}: Pick<SessionChanges, 'events' | 'messageChanges'>): ReadonlyMap<NewEvent, Step> => {
  const told = new Map<NewEvent, Step>();
  if (events.length === 0 || messageChanges.length === 0) return told;
  const steps = new Map<string, Step>();
  for (const change of messageChanges) {
    if (isStep(change)) steps.set(nameOf(change.step.state, change.chat, change.messageId), change);
  }
  for (const wanted of events) {
    const name = stepOf(wanted);
    const step = name === null ? undefined : steps.get(name);
    if (step !== undefined) told.set(wanted, step);
  }
  return told;
};
