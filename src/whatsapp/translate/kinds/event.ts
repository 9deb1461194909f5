/** Events that people plan, and scheduled calls. Answers to them come encrypted (`receive/updates.ts`). */
import type { proto } from '../../engine/proto.ts';
import type { PlannedEvent } from '../../../domain/messages/parts.ts';
import { cutOrNull, type Kinds, maxText, timeOrNull } from '../parts/kind.ts';
import { placeOf } from './location.ts';

const eventOf = (event: proto.Message.IEventMessage): PlannedEvent => ({
  name: cutOrNull(event.name),
  description: cutOrNull(event.description, maxText),
  startsAt: timeOrNull(event.startTime),
  endsAt: timeOrNull(event.endTime),
  place: event.location ? placeOf(event.location) : null,
  canceled: event.isCanceled === true,
});

export const eventKinds: Kinds = {
  eventMessage: ({ eventMessage: event }) => ({
    type: 'event',
    text: event!.name,
    parts: { event: eventOf(event!) },
    context: event!.contextInfo,
  }),
  scheduledCallCreationMessage: ({ scheduledCallCreationMessage: call }) => ({
    type: 'event',
    text: call!.title,
    parts: {
      event: eventOf({ name: call!.title ?? null, startTime: Number(call!.scheduledTimestampMs ?? 0) / 1_000 }),
    },
  }),
};
