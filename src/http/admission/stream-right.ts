/** Whether the reader of a stream may still have it: the key may be revoked or expire while it is open, the device or the user be deleted. */
import { isUnavailable } from '../../errors.ts';

/** Within a page that is written as fast as it is read. */
const freshMs = 20;

export class StreamRight {
  readonly #ask: () => Promise<boolean>;
  #askedAt = -Infinity;

  /** `ask` looks into the database: another node may have changed it a moment ago. */
  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask;
  }

  /** After events were read, and before they are written: who lost the right before they happened never sees them. Null: the database is away. */
  async holds(): Promise<boolean | null> {
    try {
      const allowed = await this.#ask();
      this.#askedAt = performance.now();
      return allowed;
    } catch (error) {
      if (isUnavailable(error)) return null;
      throw error;
    }
  }

  /** Called before each event of a page: asks again if a slow reader has let the last answer grow old. */
  async stillHolds(): Promise<boolean | null> {
    return performance.now() - this.#askedAt < freshMs ? true : this.holds();
  }
}
