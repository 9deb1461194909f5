/** A clock that only tests move. */
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/domain/clock.ts';

export interface ManualClock extends Clock {
  /** Lets time pass: the timers that are due ring one after the other, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Somebody sets the clock: timers keep their pace. */
  jump(ms: number): void;
  /** How many timers wait. */
  readonly waiting: number;
}

/** Enough turns of the event loop for promises, and for the work of a store between them, to be done. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
};

export const manualClock = (start = Date.UTC(2026, 0, 1)): ManualClock => {
  let now = start;
  let set = 0;
  let timers: { readonly at: number; readonly ring: () => void }[] = [];
  return {
    now: () => now + set,
    jump(ms) {
      set += ms;
    },
    after(ms, run) {
      const timer = { at: now + Math.max(ms, 0), ring: run };
      timers.push(timer);
      return {
        cancel() {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.ring();
        await settle();
      }
      now = end;
    },
    get waiting() {
      return timers.length;
    },
  };
};

/** The system's time, moved ahead: its timers keep their pace, what is compared with `now` is later. */
export const shiftedClock = (): Clock & { ahead(ms: number): void } => {
  let shift = 0;
  return {
    now: () => Date.now() + shift,
    after: (ms, run) => systemClock.after(ms, run),
    ahead(ms) {
      shift += ms;
    },
  };
};

/** The system's time, `speed` times as fast since `since`: minutes pass in seconds, and a restart goes on from there. */
export const quickClock = (speed: number, since = Date.now()): Clock & { ahead(ms: number): void } => {
  let shift = 0;
  return {
    now: () => Math.round(since + (Date.now() - since) * speed) + shift,
    after: (ms, run) => systemClock.after(ms / speed, run),
    ahead(ms) {
      shift += ms;
    },
  };
};
