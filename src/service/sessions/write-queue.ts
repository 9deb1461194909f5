/** Serializes the writes of a device's session. */
import type { Clock } from '../../domain/clock.ts';
import { HandsetError, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { pause } from '../time/deadline.ts';

/** A short outage of the database must not break the pairs of events. */
const retryMs = [200, 1_000, 5_000];

export class WriteQueue {
  readonly #deviceId: number;
  readonly #clock: Clock;
  readonly #log: Logger;
  settled: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** A remote database: writes wait for it without limit. */
  readonly #patient: boolean;
  #sealed = false;

  constructor(deviceId: number, clock: Clock, log: Logger, patient = false) {
    this.#patient = patient;
    this.#deviceId = deviceId;
    this.#clock = clock;
    this.#log = log;
  }

  /** A failed write is retried, then logged, as no caller could do better. */
  write(run: () => Promise<unknown>): Promise<void> {
    this.#waiting += 1;
    // With an empty queue a write starts at once, so the driver's next write comes after it.
    const done = (this.#waiting === 1 ? this.#persist(run) : this.settled.then(() => this.#persist(run))).finally(
      () => {
        this.#waiting -= 1;
      },
    );
    this.settled = done;
    return done;
  }

  seal(): void {
    this.#sealed = true;
  }

  async #persist(run: () => Promise<unknown>): Promise<void> {
    for (let attempt = 0; !this.#sealed; attempt += 1) {
      try {
        await run();
        return;
      } catch (error) {
        if (error instanceof HandsetError && error.name === 'DeviceNotFound') return;
        const wait = retryMs[attempt] ?? (this.#patient ? retryMs.at(-1) : undefined);
        this.#log.error({ deviceId: this.#deviceId, reason: messageOf(error) }, 'could not write a session event');
        if (wait === undefined) return;
        await pause(this.#clock, wait);
      }
    }
  }
}
