/** A client version with what a test wants of it: the page, the store, the clock. */
import { pino } from 'pino';
import type { Expiration, RevisionStore } from '../../../src/domain/client-version.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { bundledRevision } from '../../../src/whatsapp/login/client-version/bundled.ts';
import { ClientVersions } from '../../../src/whatsapp/login/client-version/client-versions.ts';
import { manualClock } from '../../support/clock.ts';

export const bundled = bundledRevision.revision;
export const day = 86_400_000;
/** The bundled revision is ten days old. */
export const start = bundledRevision.since! + 10 * day;

interface InMemory extends RevisionStore {
  readonly kept: Map<string, { revision: number; firstSeenAt: number }>;
  readonly expirations: Map<string, Expiration | null>;
}

export const inMemory = (): InMemory => {
  const kept: InMemory['kept'] = new Map();
  const expirations: InMemory['expirations'] = new Map();
  return {
    kept,
    expirations,
    loadExpiration: async (network) => expirations.get(network) ?? null,
    async keepExpiration(network, expiration) {
      expirations.set(network, expiration);
    },
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
