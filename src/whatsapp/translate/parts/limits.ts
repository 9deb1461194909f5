/** Limits on what strangers write: lengths, numbers, and the time to read a message; a slower one is stored as `unknown`, with its bytes. */
import { createContext, Script } from 'node:vm';

/** The limit of texts to send. The apps write none longer, but any client can. */
export const maxText = 65_536;
export const maxName = 1_024;

/** UTF-16 units, never splitting a surrogate pair. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[max - 1]!) ? max - 1 : max);

export const cutOrNull = (text: string | null | undefined, max = maxName): string | null =>
  text ? cut(text, max) : null;

/** Of all lists and quotes of a message together: two cards with pictures. Each is stored twice, in the message and in its event. */
const maxTogether = 131_072;

export class Room {
  #left = maxTogether;

  cut(text: string, max: number): string {
    const kept = this.#left === 0 ? '' : cut(text, Math.min(max, this.#left));
    this.#left -= kept.length;
    return kept;
  }
}

type Count = Parameters<typeof Number>[0];

export const countOrNull = (value: Count): number | null => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** The last millisecond RFC 3339 can express. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Seconds to ms; null if absent or not expressible in RFC 3339. */
export const timeOrNull = (seconds: Count): number | null => {
  const ms = Number(seconds ?? 0) * 1_000;
  return ms > 0 && ms <= lastMs ? Math.trunc(ms) : null;
};

/** CPU time, so that a busy machine makes no message unknown. */
const maxMs = 50;
/** A limit costs 0.3 ms, as it takes a thread. Shorter messages (bytes) take 80 ms at most, even in quadratic time. */
export const limitedFrom = 4_096;
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
