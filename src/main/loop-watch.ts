/** Warns when the event loop was blocked, and names the operation: nothing else is served meanwhile. */
import type { Clock } from '../domain/clock.ts';
import { longestStretch, type LoopReport, type Stretch } from '../domain/operation.ts';
import type { Logger } from '../log.ts';

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
    // Without CPU time the machine or the process was suspended.
    const cpuMs = Math.round((used.user + used.system) / 1_000);
    log.warn({ delayMs, cpuMs, ...operation }, 'the event loop was blocked: nobody was served meanwhile');
  };
  longestStretch();
  const timer = setInterval(look, lookMs).unref();
  return { report: () => ({ blocked: { ...blocked }, longest, lastAt }), stop: () => clearInterval(timer) };
};
