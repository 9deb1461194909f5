/** The timers of a session, and its reconnect backoff. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Pace } from '../../domain/sessions/state.ts';

type TimerKind = 'grace_over' | 'retry_due';

export class SessionTimers {
  readonly #clock: Clock;
  readonly #ring: (kind: TimerKind) => void;
  readonly #running = new Map<TimerKind, Timer>();

  constructor(clock: Clock, ring: (kind: TimerKind) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(kind: TimerKind, ms: number): void {
    this.#running.get(kind)?.cancel();
    const timer = this.#clock.after(ms, () => {
      this.#running.delete(kind);
      this.#ring(kind);
    });
    this.#running.set(kind, timer);
  }

  cancelAll(): void {
    for (const timer of this.#running.values()) timer.cancel();
    this.#running.clear();
  }
}

const fast = { firstMs: 500, capMs: 60_000 };
/** For what no quick retry can fix, such as an outdated client. */
const slow = { firstMs: 300_000, capMs: 3_600_000 };

/** `random`: 0 to 1; the wait is between half the step and the whole. */
export const backoffMs = (attempt: number, random: number, pace: Pace = 'fast'): number => {
  const { firstMs, capMs } = pace === 'fast' ? fast : slow;
  const step = Math.min(capMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(step * (0.5 + random / 2));
};

/** Node's timers hold 24 days at most. */
const longestWaitMs = 86_400_000;
/** The network's clock may be behind, and devices should not reconnect all at once. */
const spreadMs = 30_000;

export const waitForMs = (at: number, now: number, random: number): number =>
  Math.min(longestWaitMs, Math.round(Math.max(0, at - now) + random * spreadMs));
