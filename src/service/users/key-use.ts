/** When each key was last used, written every few seconds and not at every request. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { UserStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

const flushMs = 5_000;

export class KeyUse {
  readonly #users: UserStore;
  readonly #clock: Clock;
  readonly #log: Logger;
  #used = new Map<number, number>();
  #timer: Timer | null = null;

  constructor(users: UserStore, clock: Clock, log: Logger) {
    this.#users = users;
    this.#clock = clock;
    this.#log = log;
  }

  note(keyId: number): void {
    this.#used.set(keyId, this.#clock.now());
    this.#timer ??= this.#clock.after(flushMs, () => void this.flush());
  }

  /** Writes what is noted. A failure costs only the note: the next use makes it anew. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    try {
      await this.#users.touchKeys(used);
    } catch (error) {
      this.#log.warn({ reason: messageOf(error) }, 'the last use of keys could not be written');
    }
  }
}
