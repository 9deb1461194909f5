/** Whether a stream may go on: its key may be revoked or expire, and the device or user be deleted. */
import { isUnavailable } from '../../errors.ts';

/** Events may be written as fast as they are read. */
const freshMs = 20;

/**
 * The right of one key from one moment on: earlier answers do not count. Streams of a key share it, and its query. A reader that lost the
 * right before an event happened never sees that event.
 */
export class StreamRight {
  readonly #ask: () => Promise<boolean>;
  #askedAt = -Infinity;
  #asking: Promise<boolean | null> | null = null;

  /** `ask` reads the database: another node may just have changed it. */
  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask;
  }

  /** Call before each event: asks again if the last answer is old. Null: the database is away. */
  async holds(): Promise<boolean | null> {
    if (performance.now() - this.#askedAt < freshMs) return true;
    return (this.#asking ??= this.#look());
  }

  async #look(): Promise<boolean | null> {
    try {
      const allowed = await this.#ask();
      if (allowed) this.#askedAt = performance.now();
      return allowed;
    } catch (error) {
      if (isUnavailable(error)) return null;
      throw error;
    } finally {
      this.#asking = null;
    }
  }
}

export class Rights {
  readonly #bySecret = new Map<string, StreamRight>();

  of(secret: string, ask: () => Promise<boolean>): StreamRight {
    const right = this.#bySecret.get(secret) ?? new StreamRight(ask);
    this.#bySecret.set(secret, right);
    return right;
  }
}
