/** Whether the reader of a stream may still have it: the key may be revoked or expire while it is open, the device or the user be deleted. */
import { isUnavailable } from '../../errors.ts';

/** Within events that are written as fast as they are read. */
const freshMs = 20;

/**
 * The right of one key, from one moment on: nothing that was asked before counts. Streams of the same key share it, and with it the question. Who lost
 * the right before an event happened never sees that event.
 */
export class StreamRight {
  readonly #ask: () => Promise<boolean>;
  #askedAt = -Infinity;
  #asking: Promise<boolean | null> | null = null;

  /** `ask` looks into the database: another node may have changed it a moment ago. */
  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask;
  }

  /** Called before each event: asks again if a slow reader has let the last answer grow old. Null: the database is away. */
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

/** The rights of keys from one moment on. */
export class Rights {
  readonly #bySecret = new Map<string, StreamRight>();

  of(secret: string, ask: () => Promise<boolean>): StreamRight {
    const right = this.#bySecret.get(secret) ?? new StreamRight(ask);
    this.#bySecret.set(secret, right);
    return right;
  }
}
