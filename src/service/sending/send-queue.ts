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

  /** True while a send is under way or waits. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Resolves when those before it have left. Call what it gives once this message has left: the next one need not wait for the network's
   * answer; and `leave` at the end. `bytes`: the memory that it holds while it waits. Throws RateLimited when too much waits already.
   */
  enter(bytes: number): Promise<() => void> {
    if (this.#waiting >= maxWaiting || (this.#waiting > 0 && this.#bytes + bytes > maxWaitingBytes)) {
      const message = 'Too many messages of this device are waiting to be sent; try again in a few seconds';
      throw new HandsetError('RateLimited', message, { retryAfterSeconds });
    }
    this.#waiting += 1;
    this.#bytes += bytes;
    return this.#mutex.acquire();
  }

  leave(bytes: number): void {
    this.#waiting -= 1;
    this.#bytes -= bytes;
  }
}
