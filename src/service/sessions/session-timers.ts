/** The timers of one session: each happening has at most one. */
import type { Clock, Timer } from '../../domain/clock.ts';

export type TimerKind = 'grace_over' | 'retry_due';

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

  calm(): void {
    for (const timer of this.#running.values()) timer.cancel();
    this.#running.clear();
  }
}
