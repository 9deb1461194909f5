/** One post over a pool of connections, and the first bytes of its answer: without the streams and signals of a whole request. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../domain/clock.ts';
import type { PostAnswer } from '../domain/outbound.ts';
import { DeadlineExceeded } from './words.ts';

/** Kept of the answer's body. */
const excerptBytes = 1024;
/** A longer body is not read to its end, and costs its connection. */
const drainBytes = 65_536;

export interface Post {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
}

/** Names and values in turns, as they came; what comes several times, in one. */
const flat = (raw: readonly Buffer[]): Record<string, string> => {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toString('latin1').toLowerCase();
    const value = raw[at + 1]!.toString('latin1');
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
};

const noBytes = Buffer.alloc(0);
const noHeaders = {};
/** One for all: most of what an error costs is its stack. */
const answered = new Error('It has been answered');

interface Settle {
  resolve(answer: PostAnswer): void;
  reject(error: unknown): void;
}

/**
 * Once the status has come the answer counts, though its body breaks off or never ends. It has the methods that get headers as they
 * came: undici makes an object of them for the others, and nobody reads those of a success.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #timer: { cancel(): void };
  #abort: ((reason: Error) => void) | null = null;
  #answer: Omit<PostAnswer, 'excerpt'> | null = null;
  #kept = noBytes;
  #bytes = 0;
  /** Why it was ended by us, or by the other side. */
  #ended: Error | null = null;

  constructor(clock: Clock, timeoutMs: number, settle: Settle) {
    this.#settle = settle;
    this.#timer = clock.after(timeoutMs, () => this.#end(new DeadlineExceeded()));
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#ended !== null) abort(this.#ended);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    // 1xx say that the answer is still to come.
    if (status >= 200) this.#answer = { status, headers: status < 300 ? noHeaders : flat(headers) };
    return true;
  }

  onData(chunk: Buffer): boolean {
    const room = excerptBytes - this.#kept.length;
    if (room > 0) this.#kept = Buffer.concat([this.#kept, chunk.subarray(0, room)]);
    this.#bytes += chunk.length;
    if (this.#bytes > drainBytes) this.#end(new Error('The answer is too long'));
    return true;
  }

  onComplete(): void {
    this.#finish(null);
  }

  onError(error: Error): void {
    this.#finish(error);
  }

  #end(reason: Error): void {
    this.#finish(reason);
    this.#abort?.(reason);
  }

  #finish(error: Error | null): void {
    if (this.#ended !== null) return;
    this.#ended = error ?? answered;
    this.#timer.cancel();
    if (this.#answer === null) this.#settle.reject(error);
    else this.#settle.resolve({ ...this.#answer, excerpt: this.#kept === noBytes ? '' : this.#kept.toString('utf8') });
  }
}

/** Throws what went wrong when there is no answer in time. */
export const postOnce = (dispatcher: Dispatcher, clock: Clock, post: Post): Promise<PostAnswer> =>
  new Promise((resolve, reject) => {
    const { origin, path, headers, body, timeoutMs } = post;
    const exchange = new Exchange(clock, timeoutMs, { resolve, reject });
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, exchange);
  });
