/** Retries requests that are safe to repeat; a retry never sends a message twice. */
import { HandsetUnreachable, retryAfterMs } from './errors.ts';

export interface RetryOptions {
  /** Maximum number of retries; 3 by default, 0 turns retries off. */
  readonly attempts?: number;
  /** Milliseconds before the first retry, doubled for each further one; 500 by default. `Retry-After` takes precedence. */
  readonly delayMs?: number;
  /** Maximum milliseconds before a retry; 60,000 by default. If `Retry-After` is longer, the response is returned instead. */
  readonly maxDelayMs?: number;
}

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

const repeatable = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const passing = new Set([408, 425, 500, 502, 503, 504]);
const sends = /\/devices\/[^/]+\/(?:messages\/(?:\w+|[^/]+\/forward)|groups)$/;

/** Resolves after `ms`; rejects with the signal's reason. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** A request rejected with 429 had no effect; any other may have had one. */
const mayRepeat = (method: string, keyed: boolean, response: Response | null): boolean => {
  if (response?.status === 429) return true;
  if (!repeatable.has(method) && !keyed) return false;
  // 409: the first request with this key is still running, and its response is the one wanted.
  return response === null || passing.has(response.status) || (keyed && response.status === 409);
};

/**
 * A `fetch` that retries. Requests that send messages or make groups get an `Idempotency-Key`, so that they can be repeated after a lost
 * response. Other POSTs are repeated only after a 429.
 */
export const retryingFetch = (fetch: Fetch, options: RetryOptions = {}): ((request: Request) => Promise<Response>) => {
  const { attempts = 3, delayMs = 500, maxDelayMs = 60_000 } = options;
  return async (request) => {
    const { method, url, signal } = request;
    const headers = new Headers(request.headers);
    const path = new URL(url).pathname;
    if (method === 'POST' && sends.test(path) && !headers.has('idempotency-key')) {
      headers.set('idempotency-key', crypto.randomUUID());
    }
    const keyed = headers.has('idempotency-key');
    const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
    const init = { method, headers, signal, ...(body === null || body.byteLength === 0 ? {} : { body }) };
    for (let attempt = 0; ; attempt += 1) {
      let response: Response | null = null;
      let failure: unknown;
      try {
        response = await fetch(url, init);
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
      if (response?.ok === true) return response;
      const backoff = delayMs * 2 ** attempt * (0.75 + Math.random() / 2);
      const wait = (response === null ? null : retryAfterMs(response)) ?? Math.min(backoff, maxDelayMs);
      if (attempt >= attempts || wait > maxDelayMs || !mayRepeat(method, keyed, response)) {
        if (response === null) throw new HandsetUnreachable(new URL(url).origin, failure);
        return response;
      }
      await response?.body?.cancel();
      await pause(wait, signal);
    }
  };
};
