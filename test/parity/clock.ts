/** Time of this process, moved by a test alone: `Date`, and timers of a second and more. Shorter timers run by themselves. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { mock } from 'node:test';

const shortestMs = 1_000;
const neverMs = 2 ** 31 - 1;
/** How long each step waits for what its timers begin, and then turns of the event loop: answers come by sockets of this process. */
const settleMs = 4;
const turns = 10;

interface Waiting {
  due: number;
  readonly run: () => void;
  readonly delay: number;
  readonly repeats: boolean;
}

let now = Date.now();

const timers = new Map<unknown, Waiting>();
const { setTimeout: plainTimeout, setInterval: plainInterval, clearTimeout: plainClear } = globalThis;

/** A timer of Node's that never fires stands for one that waits here. */
const wait = (run: () => void, ms: number, repeats: boolean): NodeJS.Timeout => {
  const delay = Math.min(ms, neverMs);
  const timer = plainTimeout(() => {}, neverMs).unref();
  timer.refresh = () => {
    timers.set(timer, { due: now + delay, run, delay, repeats });
    return timer;
  };
  return timer.refresh();
};

const clear = (timer: Parameters<typeof clearTimeout>[0]): void => {
  timers.delete(timer);
  plainClear(timer);
};

type Run = (...given: unknown[]) => void;

/** Before anything that reads the time is loaded. */
export const takeTime = (): void => {
  mock.timers.enable({ apis: ['Date'], now });
  globalThis.setTimeout = Object.assign(
    (run: Run, ms = 0, ...given: unknown[]) =>
      ms < shortestMs ? plainTimeout(run, ms, ...given) : wait(() => run(...given), ms, false),
    plainTimeout,
  );
  globalThis.setInterval = Object.assign(
    (run: Run, ms = 0, ...given: unknown[]) =>
      ms < shortestMs ? plainInterval(run, ms, ...given) : wait(() => run(...given), ms, true),
    plainInterval,
  );
  globalThis.clearTimeout = clear;
  globalThis.clearInterval = clear;
};

const ring = (timer: unknown, waiting: Waiting): void => {
  if (waiting.repeats) waiting.due = now + waiting.delay;
  else timers.delete(timer);
  waiting.run();
};

const moveOn = async (ms: number): Promise<void> => {
  now += ms;
  mock.timers.setTime(now);
  const due = [...timers].filter(([, { due: at }]) => at <= now).toSorted(([, a], [, b]) => a.due - b.due);
  for (const [timer, waiting] of due) if (timers.has(timer)) ring(timer, waiting);
  await sleep(settleMs);
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
};

/** Lets time pass, second by second. */
export const pass = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 1_000) await moveOn(1_000);
};

/** As after the sleep of a machine: every timer that became due rings once. */
export const jump = moveOn;
