/** Time limit for reading one message: a slower one is stored as `unknown`, with its bytes. */
import { createContext, Script } from 'node:vm';

/** CPU time, so that a busy machine makes no message unknown. */
const maxMs = 50;
/** A limit costs 0.3 ms, as it takes a thread. Shorter messages (bytes) take 80 ms at most, even in quadratic time. */
const limitedFrom = 4_096;
const maxTries = 10;

const globals: { work: () => unknown } = { work: () => undefined };
const context = createContext(globals);
const script = new Script('work()');

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Errors of the script's context have another class. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Also interrupts regular expressions; a single built-in call (`normalize`) finishes first. */
const limited = <T>(work: () => T, timeout: number): T => {
  globals.work = work;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script gives what `work` gives
  return script.runInContext(context, { timeout }) as T;
};

export class BudgetSpent extends Error {
  constructor() {
    super(`a message took more than ${maxMs} ms to be read`);
  }
}

/** The time budget of one message, over all steps of its reading. */
export class Budget {
  readonly #isLimited: boolean;
  #leftMs = maxMs;

  constructor(bytes: number) {
    this.#isLimited = bytes >= limitedFrom;
  }

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  /** Throws BudgetSpent on timeout. `work` may be restarted, and interrupted anywhere. */
  run<T>(work: () => T): T {
    if (!this.#isLimited) return work();
    for (let tries = 0; tries < maxTries && !this.isSpent; tries += 1) {
      const before = cpuMs();
      try {
        return limited(work, Math.ceil(this.#leftMs));
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        this.#leftMs -= cpuMs() - before;
      }
    }
    this.#leftMs = 0;
    throw new BudgetSpent();
  }
}
