/** Checks whether the network is reachable while no open session shows it. */
import type { Clock, Timer } from '../domain/clock.ts';
import type { NetworkReach } from '../domain/network.ts';
import type { Logger } from '../log.ts';

const everyMs = 60_000;
const retryMs = 15_000;

export interface NetworkWatchParts {
  readonly reach: () => Promise<string | null>;
  /** With any, no check is needed. */
  readonly openSessions: () => number;
  readonly clock: Clock;
  readonly log: Logger;
}

export class NetworkWatch {
  readonly #parts: NetworkWatchParts;
  #status: NetworkReach = { problem: null, checkedAt: null };
  #timer: Timer | null = null;
  #stopped = false;

  constructor(parts: NetworkWatchParts) {
    this.#parts = parts;
  }

  get status(): NetworkReach {
    return this.#status;
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { reach, openSessions, clock, log } = this.#parts;
    const before = this.#status.problem;
    const problem = openSessions() > 0 ? null : await reach();
    if (this.#stopped) return;
    this.#status = { problem, checkedAt: clock.now() };
    if (problem !== null && before === null) log.warn(`the messaging network: ${problem}`);
    if (problem === null && before !== null) log.info('the messaging network can be reached again');
    this.#timer = clock.after(problem === null ? everyMs : retryMs, () => void this.#look());
  }
}
