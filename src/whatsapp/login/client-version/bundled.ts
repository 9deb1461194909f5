/** The client revision of this release: the one that Baileys brings, without loading Baileys for it. A test compares them. */
import type { KnownRevision } from '../../../domain/client-version.ts';

/** Revision in Baileys 7.0.0-rc14. Change it, with its date, whenever Baileys is upgraded. */
export const bundledRevision: KnownRevision = {
  revision: 1_043_857_760,
  source: 'bundled',
  /** Its position between revisions of known dates: 1042386815 (2026-06-27, wuzapi #368), some 52,000 a day. */
  since: Date.UTC(2026, 6, 25),
};
