/** The client: openapi-fetch over the types of the document, with the key, the retries and the event streams. */
import createClient, { type Client } from 'openapi-fetch';
import { type EventStreamOptions, eventStream } from './events.ts';
import { type RetryOptions, retryingFetch } from './retry.ts';
import type { paths } from './schema.ts';
import type { HandsetEvent } from './types.ts';

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface HandsetOptions {
  /** The service's URL: `https://handset.example.com`. */
  readonly url: string;
  /** An API key: `hs_…`. */
  readonly key: string;
  readonly retry?: RetryOptions;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

/** `GET`, `POST`, `PUT` and `DELETE` by path, and the events of a device. */
export interface Handset extends Client<paths> {
  /** Events as they happen, each once and in order; comes back by itself after a cut, with nothing left out. */
  events(deviceId: number, options?: EventStreamOptions): AsyncGenerator<HandsetEvent>;
}

/** Usually a variable of the environment that is not set: better told here than by a 401. */
const assertOptions = ({ url, key }: HandsetOptions): void => {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new TypeError(
      `createHandset: url must be the address of the service, as http://127.0.0.1:8080; it is ${url}`,
    );
  }
  if (typeof key !== 'string' || key === '') throw new TypeError('createHandset: key must be an API key (hs_…)');
};

/** Throws a TypeError when the URL or the key is missing. */
export const createHandset = (given: HandsetOptions): Handset => {
  assertOptions(given);
  const { url, key, retry, fetch = globalThis.fetch } = given;
  const baseUrl = `${url.replace(/\/*(?:\/v1)?\/*$/, '')}/v1`;
  const authorization = `Bearer ${key}`;
  // Not as a method: browsers refuse a `fetch` with another `this`.
  const plain: Fetch = (input, init) => fetch(input, init);
  const client = createClient<paths>({ baseUrl, headers: { authorization }, fetch: retryingFetch(plain, retry) });
  return {
    ...client,
    events: (deviceId, options = {}) =>
      eventStream(
        (headers, signal) =>
          plain(`${baseUrl}/devices/${deviceId}/events`, { headers: { authorization, ...headers }, signal }),
        options,
      ),
  };
};
