/** The only way out by HTTP: public addresses, deadlines, size caps, and no redirects for posts. */
import { Agent, type Dispatcher } from 'undici';
import { systemClock } from './clock.ts';
import type { Clock } from './domain/clock.ts';
import type { DownloadLimits, Outbound, PostAnswer, ReadPage } from './domain/outbound.ts';
import { HandsetError, invalidRequest } from './errors.ts';
import { type AddressPolicy, makeAddressPolicy } from './outbound/address.ts';
import { makeConnector, type Resolve, makeResolve } from './outbound/connect.ts';
import { fetchFile, highWaterMark, streamFile, fetchPage, pageProblem } from './outbound/download.ts';
import { makeTunnels, type Tunnel, DeadlineExceeded, inWords } from './outbound/tunnel.ts';
import { checkUrl, checkProxy, proxyText } from './outbound/url.ts';

export interface OutboundOptions {
  /** Allows private addresses and all ports, for development and tests. Instance metadata stays unreachable. */
  readonly allowPrivateUrls: boolean;
  /** Private host names, addresses and CIDR ranges that may be reached. */
  readonly allowList?: readonly string[];
  readonly userAgent: string;
  readonly clock?: Clock;
  /** Default: the system's name servers and hosts file. */
  readonly resolve?: Resolve;
  /** PEM: certificate authorities that replace the system's. */
  readonly ca?: string;
}

const connectTimeoutMs = 10_000;
const maxHeaderBytes = 16_384;
/** Per origin; above the dispatcher's concurrency, so that no post waits for a socket within its deadline. */
const maxSockets = 1024;

const excerptBytes = 1024;
/** A longer body is not drained; its connection is closed. */
const drainBytes = 65_536;

/** Raw name/value pairs as an object; repeated headers are joined. */
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
/** Shared: most of an error's cost is its stack. */
const answered = new Error('It has been answered');

interface Settle {
  resolve(answer: PostAnswer): void;
  reject(error: unknown): void;
}

/** Once the status has arrived the response counts, even if its body breaks off. Takes raw headers, as undici's objects are rarely needed. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #timer: { cancel(): void };
  #abort: ((reason: Error) => void) | null = null;
  #status: number | null = null;
  #headers: readonly Buffer[] = [];
  #kept = noBytes;
  #bytes = 0;
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
    // 1xx: the response is still to come.
    if (status >= 200) {
      this.#status = status;
      this.#headers = headers;
    }
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
    const status = this.#status;
    if (status === null) this.#settle.reject(error);
    else if (status < 300 && this.#kept === noBytes) this.#settle.resolve({ status, headers: null, excerpt: '' });
    else this.#settle.resolve({ status, headers: flat(this.#headers), excerpt: this.#kept.toString('utf8') });
  }
}

/** Runs `work` with a signal that ends it after `timeoutMs`, whatever it is doing. */
const withDeadline = async <T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const abort = new AbortController();
  const timer = clock.after(timeoutMs, () => abort.abort(new DeadlineExceeded()));
  try {
    return await work(abort.signal);
  } finally {
    timer.cancel();
  }
};

/** Parsed webhook URLs: parsing each anew would cost more than its signature. */
const maxKnown = 1_000;

interface ReaderParts {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly policy: AddressPolicy;
}

const readerOver =
  ({ agent, clock, userAgent, policy }: ReaderParts): ReadPage =>
  async (url, { headers, maxBytes, timeoutMs }) => {
    const target = checkUrl(url, 'the page', policy);
    const named = { 'user-agent': userAgent, ...headers };
    try {
      return await withDeadline(clock, timeoutMs, (signal) => fetchPage(agent, target, named, maxBytes, signal));
    } catch (error) {
      const words = error instanceof HandsetError ? pageProblem(error, maxBytes) : inWords(error, timeoutMs);
      throw new Error(words, { cause: error });
    }
  };

const inTime = (late: AbortSignal, given: AbortSignal | undefined): AbortSignal =>
  given === undefined ? late : AbortSignal.any([late, given]);

const downloadProblem = (error: unknown, { timeoutMs, signal }: DownloadLimits): unknown => {
  if (signal?.aborted) return signal.reason;
  if (error instanceof HandsetError) return error;
  return invalidRequest(`mediaUrl cannot be downloaded: ${inWords(error, timeoutMs)}`);
};

const downloadsOver = ({ agent, clock, userAgent, policy }: ReaderParts): Pick<Outbound, 'download' | 'stream'> => {
  const parts = { agent, userAgent, check: (target: string) => checkUrl(target, 'mediaUrl', policy) };
  return {
    async download(url, limits) {
      const { maxBytes, timeoutMs, signal } = limits;
      try {
        return await withDeadline(clock, timeoutMs, (late) => fetchFile(parts, url, maxBytes, inTime(late, signal)));
      } catch (error) {
        throw downloadProblem(error, limits);
      }
    },
    async *stream(url, limits) {
      const { timeoutMs, accept, signal } = limits;
      const abort = new AbortController();
      const timer = clock.after(timeoutMs, () => abort.abort(new DeadlineExceeded()));
      try {
        yield* streamFile({ ...parts, accept }, url, limits, inTime(abort.signal, signal));
      } catch (error) {
        throw downloadProblem(error, limits);
      } finally {
        timer.cancel();
      }
    },
  };
};

export interface GuardedOutbound extends Outbound {
  readonly read: ReadPage;
  tunnel(this: void, proxy: string): Tunnel;
  close(): Promise<void>;
}

export const makeOutbound = (options: OutboundOptions): GuardedOutbound => {
  const { userAgent, clock = systemClock } = options;
  const policy = makeAddressPolicy(options.allowPrivateUrls, options.allowList ?? []);
  const settings = {
    policy,
    resolve: options.resolve ?? makeResolve(),
    timeoutMs: connectTimeoutMs,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  // Our deadlines apply instead of undici's.
  const shared = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeaderBytes };
  const posts = new Agent({
    ...shared,
    connect: makeConnector(settings),
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
    connections: maxSockets,
  });
  const oneByOne = makeConnector({ ...settings, highWaterMark });
  const downloads = new Agent({ ...shared, connect: oneByOne, keepAliveTimeout: 1, connections: 16 });

  const known = new Map<string, { readonly origin: string; readonly path: string }>();
  return {
    check: async (url, member) => {
      checkUrl(url, member, policy);
    },
    checkProxy: (url) => proxyText(checkProxy(url, policy)),
    tunnel: makeTunnels(settings),
    post: async (url, { headers, body, timeoutMs }) => {
      try {
        let target = known.get(url);
        if (target === undefined) {
          // Addresses of a name are checked when connecting.
          const { origin, pathname, search } = checkUrl(url, 'webhookUrl', policy);
          target = { origin, path: `${pathname}${search}` };
          if (known.size >= maxKnown) known.clear();
          known.set(url, target);
        }
        const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
        const exchange = new Exchange(clock, timeoutMs, { resolve, reject });
        posts.dispatch({ ...target, method: 'POST', headers: { 'user-agent': userAgent, ...headers }, body }, exchange);
        return await promise;
      } catch (error) {
        throw error instanceof HandsetError ? error : new Error(inWords(error, timeoutMs), { cause: error });
      }
    },
    ...downloadsOver({ agent: downloads, clock, userAgent, policy }),
    read: readerOver({ agent: downloads, clock, userAgent, policy }),
    close: async () => {
      await Promise.all([posts.destroy(), downloads.destroy()]);
    },
  };
};
