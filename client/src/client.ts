/** The client: openapi-fetch with the types of the OpenAPI document, authentication, retries and event streams. */
import createClient, { type Client } from 'openapi-fetch';
import { type Calls, callsOf } from './calls.ts';
import { type EventStreamOptions, eventStream } from './events.ts';
import { type RetryOptions, retryingFetch } from './retry.ts';
import type { paths } from './schema.ts';
import type { HandsetEvent } from './types.ts';
import { uploadBy } from './upload.ts';

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface HandsetOptions {
  /** Base URL of the service: `https://handset.example.com`. */
  readonly url: string;
  /** An API key: `hs_…`. */
  readonly key: string;
  readonly retry?: RetryOptions;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** Typed calls by resource (`handset.devices.create()`) and by path (`GET`, `POST`, `PUT`, `DELETE`), and the event stream of a device. */
export interface Handset extends Client<paths>, Calls {
  /** New events, each once and in order. Reconnects automatically and resumes without a gap. */
  events(deviceId: number, options?: EventStreamOptions): AsyncGenerator<HandsetEvent>;
  /** Uploads a file of any allowed size; `file.id` of the answer is the `fileId` of sends by this device, for an hour. */
  upload: ReturnType<typeof uploadBy>;
}

/** Usually an environment variable is missing, which a 401 would not tell. */
const assertOptions = ({ url, key }: HandsetOptions): void => {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new TypeError(
      `createHandset: url must be the address of the service, as http://127.0.0.1:8080; it is ${url}`,
    );
  }
  if (typeof key !== 'string' || key === '') throw new TypeError('createHandset: key must be an API key (hs_…)');
};

const withoutSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

/** Throws a TypeError when the URL or the key is missing. */
export const createHandset = (given: HandsetOptions): Handset => {
  assertOptions(given);
  const { url, key, retry, fetch = globalThis.fetch } = given;
  const baseUrl = `${withoutSlashes(withoutSlashes(url).replace(/\/v1$/, ''))}/v1`;
  const authorization = `Bearer ${key}`;
  // Wrapped, because browsers reject a `fetch` called with another `this`.
  const plain: Fetch = (input, init) => fetch(input, init);
  const retrying = retryingFetch(plain, retry);
  const client = createClient<paths>({ baseUrl, headers: { authorization }, fetch: retrying });
  const calls = callsOf((method, path, init) =>
    retrying(new Request(`${baseUrl}${path}`, { ...init, method, headers: { ...init.headers, authorization } })),
  );
  return {
    ...client,
    ...calls,
    upload: uploadBy(plain, baseUrl, authorization),
    events: (deviceId, options = {}) =>
      eventStream(
        (headers, signal) =>
          plain(`${baseUrl}/devices/${deviceId}/events${options.types ? `?types=${options.types.join(',')}` : ''}`, {
            headers: { authorization, ...headers },
            signal,
          }),
        options,
      ),
  };
};
