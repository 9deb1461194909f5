/** Messages about the client revision, for operators and users who link a device. */
import { ageDaysOf, describeRevision, type KnownRevision, warnFromDays } from '../../../domain/client-version.ts';
import { realVersionUrl } from './pages.ts';

const adviceFor = ({ source }: KnownRevision): string =>
  source === 'pinned'
    ? 'set HANDSET_CLIENT_VERSION to a newer one, or unset it'
    : `update Handset, let it reach ${realVersionUrl}, or set HANDSET_CLIENT_VERSION`;

export const ageWarning = (known: KnownRevision, now: number): string | null => {
  const days = ageDaysOf(known, now);
  if (days === null || days < warnFromDays) return null;
  return (
    `Client version ${describeRevision(known, now)} is about to be too old: the network stops linking and then connecting ` +
    `old ones, 80 to 150 days after they were published. To mend it, ${adviceFor(known)}`
  );
};

export const expirationWarning = (known: KnownRevision, expiresAt: number, now: number): string =>
  `The network refuses client version ${describeRevision(known, now)} from ${new Date(expiresAt).toISOString().slice(0, 10)} on: ${adviceFor(known)}`;

/** `checked`: the failure of the last check of the pages, or null. */
export const refusalWords = (known: KnownRevision, checked: string | null, now: number): string => {
  const found = checked === null ? 'no newer one is known' : `no newer one could be found (${checked})`;
  return `the network refuses client version ${describeRevision(known, now)}, and ${known.source === 'pinned' ? 'it is pinned' : found}: ${adviceFor(known)}`;
};

export const renewedWords = (known: KnownRevision, now: number): string =>
  `the network refused the client version, and the service goes on with ${describeRevision(known, now)}`;

/** Why an unfinished pairing may have failed; null if the revision is no reason. `used`: that of the pairing. */
export const pairingDoubt = (used: number, known: KnownRevision, now: number): string | null => {
  const described = describeRevision(known, now);
  if (used < known.revision) return `a newer client version is known by now, ${described}: a restart uses it`;
  return ageWarning(known, now) === null
    ? null
    : `client version ${described} may be too old to be linked: ${adviceFor(known)}`;
};
