/** Events, to which people respond whether they come. */
import type { Message } from '../context.ts';
import { type PartReader, seconds, timeOf } from './part.ts';
import type { EventPlan } from './types.ts';

export const eventMessage = ({ name, description, startsAt, endsAt, place, canceled }: EventPlan): Message => ({
  eventMessage: {
    name,
    description,
    isCanceled: canceled,
    ...(startsAt !== null && { startTime: seconds(new Date(startsAt)) }),
    ...(endsAt !== null && { endTime: seconds(new Date(endsAt)) }),
    ...(place !== null && { location: { name: place } }),
  },
});

export const readEvent: PartReader = ({ eventMessage: said }) => {
  if (!said) return null;
  const event: EventPlan = {
    name: said.name ?? '',
    description: said.description || null,
    startsAt: timeOf(said.startTime),
    endsAt: timeOf(said.endTime),
    place: (said.location?.name ?? said.location?.address) || null,
    canceled: said.isCanceled ?? false,
  };
  return { type: 'event', members: { event, details: { name: said.name ?? null } }, context: said.contextInfo };
};
