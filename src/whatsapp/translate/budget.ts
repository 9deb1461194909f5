/** The time that the reading of one message may take: what takes longer is kept as `unknown`, with its bytes. */
import { createContext, Script } from 'node:vm';

/** Time of the processor, so that a busy machine makes no message unknown. */
const maxMs = 50;
/** A limit costs 0.3 ms, as it takes a thread. Shorter messages, in bytes, are read without one: at the square of their length they are done in 80 ms. */
const limitedFrom = 4_096;
/** Tries of a reading that the machine gave too little of its processor. */
const maxTries = 10;

const globals: { work: () => unknown } = { work: () => undefined };
const context = createContext(globals);
const script = new Script('work()');

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** An `Error` of the script's context is none of ours. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** The runtime ends what runs longer, in regular expressions too; a single call of its own (`normalize`) ends first. */
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

/** The time of one message, over all steps of its reading. */
export class Budget {
  readonly #isLimited: boolean;
  #leftMs = maxMs;

  /** `bytes`: how long the message is. */
  constructor(bytes: number) {
    this.#isLimited = bytes >= limitedFrom;
  }

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  /** Throws BudgetSpent once the time is over. `work` may be begun more than once, and ended anywhere. */
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
