/** Locations: places, the sender's position, and live locations with their updates. */
import type { Message } from '../context.ts';
import type { PartReader } from './part.ts';
import type { Place } from './types.ts';

/** `sequence` grows with every update of a live location. */
export const locationMessage = (place: Place, text: string | null = null, sequence = 1): Message => {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name, address, accuracyMeters } = place;
  const position = { degreesLatitude, degreesLongitude, accuracyInMeters: accuracyMeters };
  if (place.live) return { liveLocationMessage: { ...position, caption: text ?? name, sequenceNumber: sequence } };
  return { locationMessage: { ...position, name, address, ...(text !== null && { comment: text }) } };
};

export const readLocation: PartReader = ({ locationMessage: fixed, liveLocationMessage: live }) => {
  const said = fixed ?? live;
  if (!said) return null;
  const location: Place = {
    latitude: said.degreesLatitude ?? 0,
    longitude: said.degreesLongitude ?? 0,
    name: fixed?.name || null,
    address: fixed?.address || null,
    live: !!live || fixed?.isLive === true,
    accuracyMeters: said.accuracyInMeters ?? null,
  };
  const { latitude, longitude, name } = location;
  const text = (live?.caption ?? fixed?.comment) || null;
  return {
    type: 'location',
    members: { text, location, details: { latitude, longitude, name } },
    context: said.contextInfo,
  };
};
