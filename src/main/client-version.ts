/** Where the client version of this process is read, and through which connection. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Config, version } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import type { RevisionStore, ClientVersionStatus } from '../domain/client-version.ts';
import type { Logger } from '../log.ts';
import { makeOutbound } from '../outbound.ts';
import { ClientVersions } from '../whatsapp/login/client-version/client-versions.ts';
import { readRevision, realVersionUrl } from '../whatsapp/login/client-version/pages.ts';
import type { SandboxAddress } from '../whatsapp/connection/endpoint.ts';
import { read } from './read-metric.ts';

export interface ClientVersionParts {
  readonly config: Pick<Config, 'clientRevision'>;
  readonly sandbox: SandboxAddress | null;
  readonly stores: { readonly clientRevisions: RevisionStore };
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenClientVersions {
  readonly versions: ClientVersions;
  close(): Promise<void>;
}

/** A sandbox without a version page: the real network must not be asked instead. */
const urlOf = (sandbox: SandboxAddress | null): string | null =>
  sandbox === null ? realVersionUrl : (sandbox.versionUrl ?? null);

export const openClientVersions = ({ config, sandbox, stores, clock, log }: ClientVersionParts): OpenClientVersions => {
  const url = urlOf(sandbox);
  // The sandbox is usually at a private address.
  const outbound = makeOutbound({ allowPrivateUrls: sandbox !== null, userAgent: `Handset/${version}`, clock });
  const versions = new ClientVersions({
    pinned: config.clientRevision,
    fetch: url === null ? null : () => readRevision(outbound.read, url),
    network: sandbox === null ? 'whatsapp' : 'sandbox',
    store: stores.clientRevisions,
    clock,
    log,
  });
  return {
    versions,
    async close() {
      const stopped = versions.stop();
      // Cancels a running read, which would delay the stop.
      await outbound.close();
      await stopped;
    },
  };
};

export const clientVersionMetrics = (registry: Registry, status: () => ClientVersionStatus): void => {
  registry.registerMetric(
    new Gauge({
      name: 'handset_client_revision',
      help: "Revision of the network's web client that connections say they are, by its source",
      labelNames: ['source'],
      registers: [],
      collect() {
        const { revision, source } = status();
        this.reset();
        this.set({ source }, revision);
      },
    }),
  );
  read(registry, 'handset_client_revision_age_days', 'Its age; -1 where that is unknown', () => status().ageDays ?? -1);
  registry.registerMetric(
    new Counter({
      name: 'handset_client_revision_checks_total',
      help: "Looks at the network's page, by what came of them: newer, same, older (ignored) or failed",
      labelNames: ['outcome'],
      registers: [],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(status().checks)) this.inc({ outcome }, count);
      },
    }),
  );
  read(
    registry,
    'handset_client_refusals_total',
    'Connections that the network refused for their client (405, 409)',
    () => status().refusals,
  );
};
