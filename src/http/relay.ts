/** One request passed on to another node, as it is: the body streamed, the answer streamed back. */
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What is told between two ends of one connection, and what this node says itself. */
const ownHeaders =
  /^(connection|keep-alive|transfer-encoding|date|host|expect|upgrade|content-length|ratelimit-.*|x-handset-.*)$/;

/** Shared by all requests to the other nodes. */
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 512 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 512 }),
};

export interface Onward {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes that are here, or a stream that can be sent once only. */
  readonly body: Buffer | Readable | null;
  readonly signal: AbortSignal;
}

export type Relayed =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  /** Nothing of it has been done there: it may be sent elsewhere. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'unreachable'; readonly cause: unknown };

/** The answer of a node that does not have the device (any more). */
export const misdirected = 421;

const unsent = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

const neverLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unsent.has(String(error.code));

/** Without what belongs to one connection. */
export const passedOn = (headers: Readonly<Record<string, string | string[] | undefined>>): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name)));

/** A stream waits for the other node's word that it wants it: until then the request can still go elsewhere. */
export const relay = ({ url, method, path, headers, body, signal }: Onward): Promise<Relayed> =>
  new Promise((resolve, reject) => {
    const isStream = body !== null && !Buffer.isBuffer(body);
    const target = new URL(path, url);
    const secure = target.protocol === 'https:';
    const onward = (secure ? https : http).request(target, {
      method,
      agent: agents[secure ? 'https:' : 'http:'],
      signal,
      headers: {
        ...headers,
        ...(Buffer.isBuffer(body) ? { 'content-length': body.length } : {}),
        ...(isStream ? { expect: '100-continue' } : {}),
      },
    });
    let begun = false;
    onward.once('error', (error: unknown) => {
      // A kept connection that the other end has closed in the meantime has not carried the request either.
      const stale = onward.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      // Who has not asked for the body has done nothing.
      const unasked = isStream && !begun;
      if (neverLeft(error) || unasked || (stale && method === 'GET')) resolve({ kind: 'unreachable', cause: error });
      else reject(error);
    });
    onward.once('response', (answer) => {
      if (answer.statusCode !== misdirected) return resolve({ kind: 'answer', answer });
      answer.resume();
      if (begun) reject(new Error('the device has moved while its request was on the way'));
      else resolve({ kind: 'moved' });
    });
    if (!isStream) return void onward.end(body ?? undefined);
    onward.once('continue', () => {
      begun = true;
      pipeline(body, onward).catch(() => onward.destroy());
    });
    onward.flushHeaders();
  });
