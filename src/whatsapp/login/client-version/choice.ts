/** Which of the known revisions is used: the newest one, unless the operator has pinned one. Pure. */
import type { KnownRevision } from '../../../domain/client-version.ts';

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The newer of the two. Of one revision, the earlier date is right, and the later news about its source. */
export const newerOf = (known: KnownRevision, told: KnownRevision): KnownRevision => {
  if (told.revision > known.revision) return told;
  if (told.revision < known.revision) return known;
  return { ...told, since: earliest(known.since, told.since) };
};

/** An old one is at least as old as the bundled one; of a newer one nobody knows. */
export const pinnedRevision = (revision: number, bundled: KnownRevision): KnownRevision => ({
  revision,
  source: 'pinned',
  since: revision <= bundled.revision ? bundled.since : null,
});
