/** Whether a stream may continue: its key may be revoked or expire, its device or user be deleted. */
import { isUnavailable } from '../../errors.ts';

const freshMs = 20;

/** The right of one key, shared by its streams. A reader that lost the right before an event never sees that event. */
export class StreamRight {
  readonly #ask: () => Promise<boolean>;
  #askedAt = -Infinity;
  #asking: Promise<boolean | null> | null = null;

  /** `ask` reads the database: another node may have changed it. */
  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask;
  }

  /** Call before each event. Null: the database is unreachable. */
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
