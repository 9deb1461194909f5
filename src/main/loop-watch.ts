/** Warns when the event loop was blocked, and names the operation. */
import { Counter, type Registry } from 'prom-client';
import type { UnreadCounts } from '../domain/network.ts';
import { type LoopReport, longestStretch, type Stretch } from '../domain/turns.ts';
import type { Clock } from '../domain/clock.ts';
import type { Logger } from '../log.ts';

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

const lookMs = 250;
const longMs = 1_000;

export interface LoopWatch {
  readonly report: () => LoopReport;
  readonly stop: () => void;
}

export const watchLoop = (clock: Pick<Clock, 'now'>, log: Logger): LoopWatch => {
  const blocked = { stanza: 0, message: 0, request: 0, history: 0, other: 0 };
  let longest: Stretch | null = null;
  let lastAt: number | null = null;
  let looked = performance.now();
  let cpu = process.cpuUsage();
  const look = (): void => {
    const { operation } = longestStretch();
    const [now, used] = [performance.now(), process.cpuUsage(cpu)];
    const delayMs = Math.round(now - looked - lookMs);
    looked = now;
    cpu = process.cpuUsage();
    if (delayMs < longMs) return;
    blocked[operation?.kind ?? 'other'] += 1;
    lastAt = clock.now();
    if (longest === null || delayMs > longest.ms) longest = { operation, ms: delayMs };
    // Without CPU time, the machine or the process was suspended.
    const cpuMs = Math.round((used.user + used.system) / 1_000);
    log.warn({ delayMs, cpuMs, ...operation }, 'the event loop was blocked: nobody was served meanwhile');
  };
  longestStretch();
  const timer = setInterval(look, lookMs).unref();
  return { report: () => ({ blocked: { ...blocked }, longest, lastAt }), stop: () => clearInterval(timer) };
};

const clockLookMs = 10_000;
const worthTellingMs = 5_000;

/** Detects changes of the system clock. Timers are not affected, but readers of timestamps should know. */
export const watchClock = (
  clock: Clock,
  log: Logger,
  elapsed: () => number = () => performance.now(),
): (() => void) => {
  let before = { wall: clock.now(), steady: elapsed() };
  let stopped = false;
  let timer = clock.after(clockLookMs, look);
  function look(): void {
    const now = { wall: clock.now(), steady: elapsed() };
    const jumpMs = Math.round(now.wall - before.wall - (now.steady - before.steady));
    if (Math.abs(jumpMs) > worthTellingMs) {
      log.warn({ jumpMs }, 'the clock of this machine was set; check that it is kept by NTP');
    }
    before = now;
    if (!stopped) timer = clock.after(clockLookMs, look);
  }
  return () => {
    stopped = true;
    timer.cancel();
  };
};
