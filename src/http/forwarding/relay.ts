/** Forwards one request to another node, streaming body and answer. */
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { createHash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { bodyTrailer } from '../wire/node-auth.ts';

/** Hop-by-hop headers, and those this node sets. */
const ownHeaders =
  /^(connection|keep-alive|transfer-encoding|date|host|expect|upgrade|content-length|ratelimit-.*|x-handset-.*)$/;

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 512 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 512 }),
};

export interface Onward {
  /** Not influenced by the caller. */
  readonly node: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | Readable | null;
  /** Signs the hash of a streamed body. */
  readonly trailer: (bodyHash: string) => string;
  readonly signal: AbortSignal;
}

export type Relayed =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  /** Nothing was done there: it may be sent elsewhere. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'unreachable'; readonly cause: unknown };

export const misdirected = 421;

const unsent = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

const neverLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unsent.has(String(error.code));

export const passedOn = (headers: Readonly<Record<string, string | string[] | undefined>>): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name)));

const begin = ({ node, method, path, headers, body, signal }: Onward): http.ClientRequest => {
  // Checked again: an absolute form would name another host (RFC 9112, section 3.2.2).
  if (!path.startsWith('/')) throw new Error('a request target in another form than the origin form');
  const { protocol, hostname, port } = urlToHttpOptions(new URL(node));
  const secure = protocol === 'https:';
  return (secure ? https : http).request({
    protocol,
    hostname,
    port,
    method,
    path,
    signal,
    agent: agents[secure ? 'https:' : 'http:'],
    headers: {
      ...headers,
      ...(Buffer.isBuffer(body) ? { 'content-length': body.length } : {}),
      ...(body !== null && !Buffer.isBuffer(body) ? { expect: '100-continue', trailer: bodyTrailer } : {}),
    },
  });
};

const stream = async (body: Readable, onward: http.ClientRequest, trailer: Onward['trailer']): Promise<void> => {
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      onward.addTrailers({ [bodyTrailer]: trailer(hash.digest('base64url')) });
      done();
    },
  });
  await pipeline(body, hashed, onward);
};

/** A stream is sent only when the other node asks for it; until then the request can go elsewhere. */
export const relay = (request: Onward): Promise<Relayed> =>
  new Promise((resolve, reject) => {
    const { method, body } = request;
    const isStream = body !== null && !Buffer.isBuffer(body);
    const onward = begin(request);
    let begun = false;
    onward.once('error', (error: unknown) => {
      // A pooled connection that the other end closed has not carried the request.
      const stale = onward.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      // A node that has not asked for the body has done nothing.
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
      stream(body, onward, request.trailer).catch(() => onward.destroy());
    });
    onward.flushHeaders();
  });
