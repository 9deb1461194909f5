/** A client version with what a test wants of it: the page, the store, the clock. */
import { pino } from 'pino';
import type { RevisionStore } from '../../../src/domain/client-version.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { bundledRevision } from '../../../src/whatsapp/login/client-version/bundled.ts';
import { ClientVersions } from '../../../src/whatsapp/login/client-version/client-versions.ts';
import { manualClock } from '../../support/clock.ts';

export const bundled = bundledRevision.revision;
export const day = 86_400_000;
/** The bundled revision is ten days old. */
export const start = bundledRevision.since! + 10 * day;

export const inMemory = (): RevisionStore & { kept: Map<string, { revision: number; firstSeenAt: number }> } => {
  const kept = new Map<string, { revision: number; firstSeenAt: number }>();
  return {
    kept,
    load: async (network) => kept.get(network) ?? null,
    async keep(network, revision) {
      if (revision.revision > (kept.get(network)?.revision ?? 0)) kept.set(network, revision);
    },
  };
};

interface Given {
  readonly fetch?: (() => Promise<number>) | null;
  readonly pinned?: number | null;
  readonly store?: RevisionStore;
  readonly clock?: Clock;
  readonly log?: pino.Logger;
}

export const versionsWith = ({
  fetch = null,
  pinned = null,
  store = inMemory(),
  clock = manualClock(start),
  ...more
}: Given) =>
  new ClientVersions({ fetch, pinned, store, clock, network: 'whatsapp', log: more.log ?? pino({ level: 'silent' }) });
