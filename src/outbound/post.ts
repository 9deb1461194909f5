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
  readonly body: string;
  readonly timeoutMs: number;
}

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const flat = (headers: ResponseHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

const noBytes = Buffer.alloc(0);
const noHeaders = {};
/** One for all: most of what an error costs is its stack. */
const answered = new Error('It has been answered');

interface Settle {
  resolve(answer: PostAnswer): void;
  reject(error: unknown): void;
}

/** Once the status has come the answer counts, though its body breaks off or never ends. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #timer: { cancel(): void };
  #controller: Dispatcher.DispatchController | null = null;
  #answer: Omit<PostAnswer, 'excerpt'> | null = null;
  #kept = noBytes;
  #bytes = 0;
  /** Why it was ended by us, or by the other side. */
  #ended: Error | null = null;

  constructor(clock: Clock, timeoutMs: number, settle: Settle) {
    this.#settle = settle;
    this.#timer = clock.after(timeoutMs, () => this.#end(new DeadlineExceeded()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended !== null) controller.abort(this.#ended);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // 1xx say that the answer is still to come.
    if (status >= 200) this.#answer = { status, headers: status < 300 ? noHeaders : flat(headers) };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = excerptBytes - this.#kept.length;
    if (room > 0) this.#kept = Buffer.concat([this.#kept, chunk.subarray(0, room)]);
    this.#bytes += chunk.length;
    if (this.#bytes > drainBytes) this.#end(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #end(reason: Error): void {
    this.#finish(reason);
    this.#controller?.abort(reason);
  }

  #finish(error: Error | null): void {
    if (this.#ended !== null) return;
    this.#ended = error ?? answered;
    this.#timer.cancel();
    if (this.#answer === null) this.#settle.reject(error);
    else this.#settle.resolve({ ...this.#answer, excerpt: this.#kept.toString('utf8') });
  }
}

/** Throws what went wrong when there is no answer in time. */
export const postOnce = (dispatcher: Dispatcher, clock: Clock, post: Post): Promise<PostAnswer> =>
  new Promise((resolve, reject) => {
    const { origin, path, headers, body, timeoutMs } = post;
    const exchange = new Exchange(clock, timeoutMs, { resolve, reject });
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, exchange);
  });
