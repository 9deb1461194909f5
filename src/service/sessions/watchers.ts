/** Waits for a change of a device. */
import type { Clock } from '../../domain/clock.ts';

interface Watcher {
  look(): void;
  fail(error: unknown): void;
}

export class Watchers {
  readonly #clock: Clock;
  readonly #waiting = new Set<Watcher>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with what `pick` gives, rejects with what it throws; null on timeout or abort. */
  wait<T>(pick: () => T | undefined, ms: number, signal?: AbortSignal): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        signal?.removeEventListener('abort', giveUp);
        this.#waiting.delete(watcher);
      };
      const giveUp = (): void => {
        end();
        resolve(null);
      };
      const watcher: Watcher = {
        look() {
          try {
            const value = pick();
            if (value === undefined) return;
            end();
            resolve(value);
          } catch (error) {
            watcher.fail(error);
          }
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      const timer = this.#clock.after(ms, giveUp);
      this.#waiting.add(watcher);
      watcher.look();
      if (!this.#waiting.has(watcher)) return;
      if (signal?.aborted === true) giveUp();
      else signal?.addEventListener('abort', giveUp);
    });
  }

  look(): void {
    for (const watcher of this.#waiting) watcher.look();
  }

  fail(error: Error): void {
    for (const watcher of this.#waiting) watcher.fail(error);
  }
}
