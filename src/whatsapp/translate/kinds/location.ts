/** Locations, also live ones. */
import type { proto } from '../../library/proto.ts';
import type { OutgoingPlace } from '../../../domain/messages/outgoing.ts';
import type { Place } from '../../../domain/messages/parts.ts';
import { cutOrNull } from '../parts/limits.ts';
import type { Kinds } from '../parts/kind.ts';

const degreesOrNull = (value: number | null | undefined, max: number): number | null =>
  typeof value === 'number' && Math.abs(value) <= max ? value : null;

/** A quarter of the equator: no circle on earth is larger. */
const maxMeters = 20_000_000;

export const placeOf = (place: proto.Message.ILocationMessage, live = place.isLive === true): Place => {
  const accuracy = place.accuracyInMeters ?? 0;
  return {
    latitude: degreesOrNull(place.degreesLatitude, 90),
    longitude: degreesOrNull(place.degreesLongitude, 180),
    name: cutOrNull(place.name),
    address: cutOrNull(place.address),
    live,
    accuracyMeters: accuracy > 0 && accuracy <= maxMeters ? accuracy : null,
  };
};

export const locationKinds: Kinds = {
  locationMessage: ({ locationMessage: place }) => ({
    type: 'location',
    text: place!.comment || place!.name || place!.address,
    parts: { location: placeOf(place!) },
    context: place!.contextInfo,
  }),
  liveLocationMessage: ({ liveLocationMessage: place }) => ({
    type: 'location',
    text: place!.caption,
    parts: { location: placeOf(place!, true) },
    context: place!.contextInfo,
  }),
};

export const composeLocation = ({ latitude, longitude, name, address }: OutgoingPlace): proto.IMessage => ({
  locationMessage: {
    degreesLatitude: latitude,
    degreesLongitude: longitude,
    ...(name && { name }),
    ...(address && { address }),
  },
});
