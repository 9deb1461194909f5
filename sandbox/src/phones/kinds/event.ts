/** Events, to which people respond whether they come. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import { locationMessage, placeOf } from './location.ts';
import { type PartReader, seconds, timeOf } from './part.ts';
import type { EventPlan, Place } from './types.ts';

const locationOf = (place: Place): proto.Message.IEventMessage => ({
  location: locationMessage({ ...place, live: false }).locationMessage ?? null,
});

export const eventMessage = ({ name, description, startsAt, endsAt, place, canceled }: EventPlan): Message => ({
  eventMessage: {
    name,
    description,
    isCanceled: canceled,
    ...(startsAt !== null && { startTime: seconds(new Date(startsAt)) }),
    ...(endsAt !== null && { endTime: seconds(new Date(endsAt)) }),
    ...(place !== null && locationOf(place)),
  },
});

export const readEvent: PartReader = ({ eventMessage: said }) => {
  if (!said) return null;
  const event: EventPlan = {
    name: said.name ?? '',
    description: said.description || null,
    startsAt: timeOf(said.startTime),
    endsAt: timeOf(said.endTime),
    place: said.location ? placeOf(said.location) : null,
    canceled: said.isCanceled ?? false,
  };
  return { type: 'event', members: { event, details: { name: said.name ?? null } }, context: said.contextInfo };
};
