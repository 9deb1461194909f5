/** The sends of one device, leaving in the order in which they came; bounded, so that a slow network is not paid for in memory. */
import { HandsetError } from '../../errors.ts';
import { Serial } from '../serial.ts';

const maxWaiting = 1_000;
const maxWaitingBytes = 64 * 1024 * 1024;
const retryAfterSeconds = 5;

/** Calls `next` when its message has left: what follows need not wait for the network's answer, too. */
export type Task<T> = (next: () => void) => Promise<T>;

class SendQueue {
  readonly #serial = new Serial();
  #waiting = 0;
  #bytes = 0;

  get idle(): boolean {
    return this.#waiting === 0;
  }

  async run<T>(bytes: number, task: Task<T>): Promise<T> {
    if (this.#waiting >= maxWaiting || (this.#waiting > 0 && this.#bytes + bytes > maxWaitingBytes)) {
      const message = 'Too many messages of this device are waiting to be sent; try again in a few seconds';
      throw new HandsetError('RateLimited', message, { retryAfterSeconds });
    }
    this.#waiting += 1;
    this.#bytes += bytes;
    try {
      return await this.#inTurn(task);
    } finally {
      this.#waiting -= 1;
      this.#bytes -= bytes;
    }
  }

  #inTurn<T>(task: Task<T>): Promise<T> {
    const result = Promise.withResolvers<T>();
    void this.#serial.run(() => {
      const turn = Promise.withResolvers<void>();
      task(turn.resolve).then(result.resolve, result.reject).finally(turn.resolve);
      return turn.promise;
    });
    return result.promise;
  }
}

/** One queue a device, for as long as something waits in it. */
export class SendQueues {
  readonly #byDevice = new Map<number, SendQueue>();

  /** `bytes`: what the task holds in memory while it waits. Throws RateLimited when too much waits already. */
  async run<T>(deviceId: number, bytes: number, task: Task<T>): Promise<T> {
    const queue = this.#byDevice.get(deviceId) ?? new SendQueue();
    this.#byDevice.set(deviceId, queue);
    try {
      return await queue.run(bytes, task);
    } finally {
      if (queue.idle && this.#byDevice.get(deviceId) === queue) this.#byDevice.delete(deviceId);
    }
  }
}
