/** Metrics of the announced client version. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ClientVersionStatus } from '../domain/client-version.ts';
import { read } from './read-metric.ts';

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
