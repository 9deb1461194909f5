/** Streams between threads: the thread that reads asks for one chunk after the other, so nothing piles up between them. */
import { whenGivenUp } from '../domain/given-up.ts';
import type { ThreadCalls } from './contract.ts';
import type { Peer } from './peer.ts';

/** Those of a thread that are being read. */
export class OpenStreams {
  readonly #open = new Map<number, AsyncIterator<Uint8Array>>();
  #next = 1;

  open(stream: AsyncIterable<Uint8Array>): number {
    const number = this.#next++;
    this.#open.set(number, stream[Symbol.asyncIterator]());
    return number;
  }

  async pull(number: number): Promise<Uint8Array | null> {
    const stream = this.#open.get(number);
    if (stream === undefined) throw new Error('The stream has ended');
    try {
      const { done, value } = await stream.next();
      if (done !== true) return value;
    } catch (error) {
      this.#open.delete(number);
      throw error;
    }
    this.#open.delete(number);
    return null;
  }

  drop(number: number): void {
    const stream = this.#open.get(number);
    this.#open.delete(number);
    // Whoever reads it is gone; how its end fails interests nobody.
    stream?.return?.().catch(() => {});
  }
}

async function* read(thread: Peer<ThreadCalls>, number: number): AsyncGenerator<Uint8Array, void, void> {
  for (;;) {
    // Only when the one before has been used: no more than what one read gives is in memory.
    const chunk = await thread.call('pull', number);
    if (chunk === null) return;
    yield chunk;
  }
}

/** The other end. */
export const readStream = (thread: Peer<ThreadCalls>, number: number): AsyncGenerator<Uint8Array, void, void> =>
  whenGivenUp(read(thread, number), () => thread.tell('drop', number));
