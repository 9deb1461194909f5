/** Metrics of event loop blocks, and of messages skipped to avoid them. */
import { Counter, type Registry } from 'prom-client';
import type { UnreadCounts } from '../domain/network.ts';
import type { LoopReport } from '../domain/operation.ts';

export interface LoopFacts {
  readonly loop: () => LoopReport;
  readonly unread: Readonly<UnreadCounts>;
}

export const loopMetrics = (registry: Registry, { loop, unread }: LoopFacts): void => {
  const counted = (name: string, help: string, label: string, counts: () => object): void =>
    registry.registerMetric(
      new Counter({
        name,
        help,
        labelNames: [label],
        registers: [],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(counts())) this.inc({ [label]: value }, Number(count));
        },
      }),
    );
  counted(
    'handset_event_loop_blocked_total',
    'Delays of the event loop over 1 s, by the kind of operation that ran',
    'operation',
    () => loop().blocked,
  );
  counted(
    'handset_messages_unread_total',
    'Messages stored as unknown without being read, by reason: slow (more than 50 ms), stuck (begun three times, never finished)',
    'reason',
    () => unread,
  );
};
