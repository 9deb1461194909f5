/** Notices a thread that hangs: its devices would be dead, and nobody would see it. */
import type { Clock, Timer } from '../domain/clock.ts';

export interface PulseParts {
  readonly clock: Clock;
  /** Resolves when the thread has answered. */
  readonly ask: () => Promise<unknown>;
  readonly onSilence: () => void;
}

const lookMs = 10_000;
/** Looks without an answer: a process that was stopped for long finds one of them when it goes on, and not many. */
const mostMissed = 6;

/** Returns the way to stop. */
export const watchPulse = ({ clock, ask, onSilence }: PulseParts): (() => void) => {
  let answered = true;
  let missed = 0;
  let timer: Timer;
  const listen = async (): Promise<void> => {
    try {
      await ask();
      answered = true;
    } catch {
      // It has ended, and that is told otherwise.
    }
  };
  const look = (): void => {
    if (!answered) missed += 1;
    if (missed >= mostMissed) return onSilence();
    if (answered) {
      answered = false;
      missed = 0;
      void listen();
    }
    timer = clock.after(lookMs, look);
  };
  timer = clock.after(lookMs, look);
  return () => timer.cancel();
};
