/** A place: its name, its address, and a link to a map. */
import type { Message, Place } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { ExternalLink } from '../../ui/external-link.tsx';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';

const words = texts.message.location;

/** A link, because the dashboard loads nothing from other hosts. */
export const MapLink = ({ place: { latitude, longitude } }: { readonly place: Place }) =>
  latitude === null || longitude === null ? null : (
    <ExternalLink
      href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
    >
      {words.map}
    </ExternalLink>
  );

const coordinatesOf = ({ latitude, longitude }: Place): string =>
  latitude === null || longitude === null ? words.none : `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

export const Location = ({ message: { location } }: { readonly message: Message }) => {
  if (location === null) return null;
  const { name, address, live, accuracyMeters } = location;
  return (
    <Part icon={icons.place} kind={live ? words.live : words.title} title={name ?? address ?? coordinatesOf(location)}>
      {name !== null && address !== null && <span>{address}</span>}
      {(name ?? address) !== null && <span className="dim">{coordinatesOf(location)}</span>}
      {accuracyMeters !== null && <span className="dim">{words.accuracy(accuracyMeters)}</span>}
      <MapLink place={location} />
    </Part>
  );
};
