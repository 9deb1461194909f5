/** Locations: places, the sender's position, and live locations with their updates. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';
import type { Place } from './types.ts';

export const locationMessage = (place: Place): Message => {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name, address, accuracyMeters } = place;
  const position = { degreesLatitude, degreesLongitude, accuracyInMeters: accuracyMeters };
  if (place.live) return { liveLocationMessage: { ...position, caption: name, sequenceNumber: Date.now() } };
  return { locationMessage: { ...position, name, address } };
};

/** The place in a location, live or not. */
export const placeOf = (said: proto.Message.ILocationMessage, live = said.isLive === true): Place => ({
  latitude: said.degreesLatitude ?? null,
  longitude: said.degreesLongitude ?? null,
  name: said.name || null,
  address: said.address || null,
  live,
  accuracyMeters: said.accuracyInMeters ?? null,
});

export const readLocation: PartReader = ({ locationMessage: fixed, liveLocationMessage: live }) => {
  const said = fixed ?? live;
  if (!said) return null;
  const location = fixed ? placeOf(fixed) : placeOf(said, true);
  const { latitude, longitude, name } = location;
  const text = (live?.caption ?? fixed?.comment) || null;
  return {
    type: 'location',
    members: { text, location, details: { latitude, longitude, name } },
    context: said.contextInfo,
  };
};
