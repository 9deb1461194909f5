/** The end of requests when the service stops: they get time to finish, and then an answer, before their connections are cut. */
import type { Clock, Timer } from '../domain/clock.ts';
import type { Stores } from '../domain/stores.ts';
import type { HandsetError } from '../errors.ts';
import { serviceStopping } from './wire/errors.ts';

/** How long requests get to finish after the start of a stop, within the time after which `main.ts` cuts connections. */
const finishMs = 5_000;

type Late = (error: HandsetError) => void;

export class Stopping {
  readonly #requests = new Set<Late>();
  #timer: Timer | null = null;

  /** Watches for what ends a request early: the stop, and a database that is away. Returns a function that ends the watch. */
  readonly watch =
    (onAway: Stores['onAway']) =>
    (late: Late): (() => void) => {
      this.#requests.add(late);
      const unwatch = onAway?.(late);
      return () => {
        this.#requests.delete(late);
        unwatch?.();
      };
    };

  begin(clock: Pick<Clock, 'after'>): void {
    this.#timer = clock.after(finishMs, () => {
      for (const late of this.#requests) late(serviceStopping());
    });
  }

  /** Call when no request runs any more. */
  end(): void {
    this.#timer?.cancel();
  }
}
