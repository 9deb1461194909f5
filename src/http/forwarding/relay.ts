/** One request passed on to another node, as it is: the body streamed, the answer streamed back. */
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { createHash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { bodyTrailer } from '../wire/node-auth.ts';

/** Headers of one connection, and those that this node sets itself. */
const ownHeaders =
  /^(connection|keep-alive|transfer-encoding|date|host|expect|upgrade|content-length|ratelimit-.*|x-handset-.*)$/;

/** Shared by all requests to the other nodes. */
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 512 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 512 }),
};

export interface Onward {
  /** Address of the node. Nothing of what the caller has sent decides where the request goes. */
  readonly node: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes that are here, or a stream that can be sent once only. */
  readonly body: Buffer | Readable | null;
  /** The trailer of a body that is a stream, by its hash. */
  readonly trailer: (bodyHash: string) => string;
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

const begin = ({ node, method, path, headers, body, signal }: Onward): http.ClientRequest => {
  // Checked here too, right before the connection: the absolute form would name a host of its own (RFC 9112, section 3.2.2).
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

/** The body as a stream, and its signature behind it. */
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

/** A stream waits for the other node's word that it wants it: until then the request can still go elsewhere. */
export const relay = (request: Onward): Promise<Relayed> =>
  new Promise((resolve, reject) => {
    const { method, body } = request;
    const isStream = body !== null && !Buffer.isBuffer(body);
    const onward = begin(request);
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
      stream(body, onward, request.trailer).catch(() => onward.destroy());
    });
    onward.flushHeaders();
  });
