/** The processor time that searches may take: at most a tenth of a core for all of a process, so that they hold up nobody. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const share = 0.1;
/** Work that is done without a pause after a time without searches: a page of 10,000 ordinary messages. */
const burstMs = 500;

interface Time {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const realTime: Time = {
  now: () => performance.now(),
  pause: (ms) => (ms > 0 ? sleep(ms) : setImmediate()),
};

export class SearchShare {
  readonly #time: Time;
  /** When the work done so far is a tenth of the time that has passed. */
  #evenAt = -Infinity;

  constructor(time: Time = realTime) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now();
  }

  /** Counts work that is done, and resolves when more may be done. Of several searches, each gets its turn in the order of the calls. */
  async spend(ms: number): Promise<void> {
    const now = this.#time.now();
    this.#evenAt = Math.max(this.#evenAt, now - burstMs / share) + ms / share;
    await this.#time.pause(Math.max(0, this.#evenAt - now));
  }
}

export const searchShare = new SearchShare();
