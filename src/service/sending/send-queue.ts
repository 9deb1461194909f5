/** The sends of one device, leaving in the order in which they came. Bounded, so that a slow network costs no memory. */
import { Mutex } from 'async-mutex';
import { HandsetError } from '../../errors.ts';

const maxWaiting = 1_000;
const maxWaitingBytes = 64 * 1024 * 1024;
const retryAfterSeconds = 5;

export class SendQueue {
  readonly #mutex = new Mutex();
  #waiting = 0;
  #bytes = 0;

  /**
   * Runs `task` after those before it. It calls `next` once its message has left: the next task need not wait for the network's answer.
   * `bytes`: the memory that the task holds while it waits. Throws RateLimited when too much waits already.
   */
  async run<T>(bytes: number, task: (next: () => void) => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting || (this.#waiting > 0 && this.#bytes + bytes > maxWaitingBytes)) {
      const message = 'Too many messages of this device are waiting to be sent; try again in a few seconds';
      throw new HandsetError('RateLimited', message, { retryAfterSeconds });
    }
    this.#waiting += 1;
    this.#bytes += bytes;
    const next = await this.#mutex.acquire();
    try {
      return await task(next);
    } finally {
      next();
      this.#waiting -= 1;
      this.#bytes -= bytes;
    }
  }
}
