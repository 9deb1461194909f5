/** A clock controlled by tests. */
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/domain/clock.ts';

export interface ManualClock extends Clock {
  /** Lets time pass: due timers fire in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Sets the clock, without effect on timers. */
  jump(ms: number): void;
  /** Number of pending timers. */
  readonly waiting: number;
}

/** Enough turns of the event loop for promises and the store's work between them. */
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

/** The system clock moved ahead, without effect on timers. */
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

/** The system clock running `speed` times as fast since `since`: minutes pass in seconds, and a restart continues from there. */
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
