/** Deletes expired data in the background, in small steps. */
import type { Clock, Timer } from '../domain/clock.ts';
import type { Retention } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { doubtMs, jumpMs } from './time/deadline.ts';

export interface RetentionTimes {
  readonly eventRetentionMs: number;
  readonly messageRetentionMs: number;
}

const hourMs = 3_600_000;
const idempotencyMs = 24 * hourMs;
/** Plaintexts that answer a redelivery after a crash; the network redelivers within days. */
const inboxMs = 7 * 24 * hourMs;
const idleMs = 600_000;
const busyMs = 100;
/** After a start the network's backlog comes first: old rows may still answer it. */
const startMs = 60_000;

interface Parts {
  readonly retention: Retention;
  readonly clock: Clock;
  readonly log: Logger;
  readonly times: RetentionTimes;
}

/** Whether to distrust the clock, asked at each step: deletions cannot be undone. */
const doubts = (clock: Clock) => {
  let expected = clock.now();
  let left = 0;
  return {
    plan(ms: number): void {
      expected = clock.now() + ms;
    },
    get ms(): number {
      const ahead = clock.now() - expected;
      if (Math.abs(ahead) > jumpMs) left = ahead > 0 ? doubtMs : 0;
      return left;
    },
    waited(ms: number): void {
      left = Math.max(0, left - ms);
    },
  };
};

export const makePruner = ({ retention, clock, log, times }: Parts) => {
  let timer: Timer | null = null;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const doubt = doubts(clock);

  const step = async (): Promise<void> => {
    const now = clock.now();
    if (doubt.ms > 0) {
      doubt.waited(idleMs);
      return plan(idleMs);
    }
    let more = false;
    try {
      const pruned = await retention.prune({
        events: now - times.eventRetentionMs,
        messages: now - times.messageRetentionMs,
        inbox: now - inboxMs,
        idempotency: now - idempotencyMs,
      });
      more = (await retention.shrink()) || pruned > 0;
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'could not delete expired data');
    }
    plan(more ? busyMs : idleMs);
  };
  const plan = (ms: number): void => {
    if (stopped) return;
    doubt.plan(ms);
    timer = clock.after(ms, () => {
      running = step();
    });
  };
  return {
    start: (): void => plan(startMs),
    async stop(): Promise<void> {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
};
