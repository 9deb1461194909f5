/** The client revision of this release: the newest one with evidence. */
import type { KnownRevision } from '../../../domain/client-version.ts';

/**
 * Raise it with each release: the release workflow refuses one older than 45 days (`tools/check-client-revision.ts`).
 * Evidence: a running WhatsApp Web reported this build on 2026-10-09 (a public list of modules that was checked against it). On
 * 2026-10-06 a client of whatsmeow was refused (405) with 1040847988 and, minutes later, logged in with 1049440263, which it had read
 * from the network's root page (a public log). Revisions grow by some 63,600 a day, and by 84,000 a day since 2026-08-20 (1045649367,
 * whatsmeow).
 */
export const bundledRevision: KnownRevision = {
  revision: 1_049_833_609,
  source: 'bundled',
  since: Date.UTC(2026, 9, 9),
};
