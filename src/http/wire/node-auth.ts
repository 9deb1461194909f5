/** Signs requests between nodes with a key of the installation: each signature is valid for one request, once, within a minute. */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** About 40 MB, and 4,000 forwarded requests per second. */
const maxNonces = 250_000;

export const usedNonces = (capacity = maxNonces) => {
  const used = new Map<string, number>();
  /** Nonces up to this time may have been dropped, so they are refused. */
  let floor = -Infinity;
  const forget = (since: number): void => {
    // In order of arrival: old ones may be behind a newer one.
    for (const [nonce, at] of used) {
      if (at >= since && used.size < capacity) return;
      used.delete(nonce);
      if (at >= since) floor = Math.max(floor, at);
    }
  };
  return {
    /** False if it was, or may have been, used. `at`: when it was made; `since`: older signatures are refused anyway. */
    take(nonce: string, at: number, since: number): boolean {
      if (at <= floor || used.has(nonce)) return false;
      forget(since);
      used.set(nonce, at);
      return true;
    },
  };
};

export const nodeHeader = 'x-handset-node';
/** On an answer: this node has lost the database, and soon its devices. */
export const awayHeader = 'x-handset-away';
/** The message's id, the same on every node that tries the send. */
export const messageHeader = 'x-handset-message';
/** The first node cannot repeat the request: its body was streamed. */
export const onceHeader = 'x-handset-once';
/** The caller's address. The first node drops a caller's own header of this name. */
export const addressHeader = 'x-handset-address';
export const originHeader = 'x-handset-origin';
/** Trailer: the signature of a streamed body. */
export const bodyTrailer = 'x-handset-body';

const clockSkewMs = 60_000;
/** In place of the hash of a streamed body, which is signed in the trailer. */
const streamed = '-';

const signedHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  messageHeader,
  onceHeader,
  addressHeader,
  originHeader,
];

export interface NodeRequest {
  readonly node: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders | OutgoingHttpHeaders;
}

interface Signed {
  readonly header: string;
  readonly trailer: (bodyHash: string) => string;
}

export interface Verified {
  matches(bodyHash: string, trailer: string | undefined): boolean;
}

export const bodyHashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

const isSame = (given: string | undefined, expected: string): boolean => {
  const [one, two] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
};

/** Version, time, nonce, hash of the body, signature. */
const headerRule = /^2\.(\d{1,16})\.([\w-]{22})\.([\w-]{43}|-)\.([\w-]{43})$/;

export const makeNodeAuth = (secret: string, now: () => number) => {
  const key = Buffer.from(hkdfSync('sha256', secret, 'handset', 'between nodes 2', 32));
  const nonces = usedNonces();
  const macOf = (parts: readonly unknown[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
  const headOf = ({ node, method, path, headers }: NodeRequest, at: string, nonce: string, bodyHash: string): string =>
    macOf(['request', at, nonce, bodyHash, node, method, path, ...signedHeaders.map((name) => headers[name] ?? null)]);
  const trailerOf = (nonce: string, bodyHash: string): string => macOf(['body', nonce, bodyHash]);
  return {
    /** `body` null: it follows as a stream. */
    sign(request: NodeRequest, body: Uint8Array | null): Signed {
      const at = String(now());
      const nonce = randomBytes(16).toString('base64url');
      const bodyHash = body === null ? streamed : bodyHashOf(body);
      const header = ['2', at, nonce, bodyHash, headOf(request, at, nonce, bodyHash)].join('.');
      return { header, trailer: (hash) => trailerOf(nonce, hash) };
    },
    /** `foreign`: not signed by a node, or too long ago. `refused`: for another request, or used before. */
    verify(request: NodeRequest): Verified | 'foreign' | 'refused' {
      const given = request.headers[nodeHeader];
      const [, at, nonce, bodyHash, mac] = (typeof given === 'string' ? headerRule.exec(given) : null) ?? [];
      if (at === undefined || nonce === undefined || bodyHash === undefined) return 'foreign';
      const time = Number(at);
      if (Math.abs(now() - time) > clockSkewMs) return 'foreign';
      if (!isSame(mac, headOf(request, at, nonce, bodyHash))) return 'refused';
      if (!nonces.take(nonce, time, now() - clockSkewMs)) return 'refused';
      return {
        matches: (hash, trailer) =>
          bodyHash === streamed ? isSame(trailer, trailerOf(nonce, hash)) : isSame(bodyHash, hash),
      };
    },
  };
};

export type NodeAuth = ReturnType<typeof makeNodeAuth>;
