/** Requests between nodes are signed with a key of the installation: each signature is good for one request, once, for a minute. */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** About 40 MB at most, and 4,000 requests a second that other nodes pass on. */
const most = 250_000;

interface Nonces {
  /** False when it has been used, or may have been. `at`: when it was made; `since`: signatures from before are refused anyway. */
  take(nonce: string, at: number, since: number): boolean;
}

export const usedNonces = (capacity = most): Nonces => {
  const used = new Map<string, number>();
  /** Nonces up to this time may have been forgotten: they are refused. */
  let floor = -Infinity;
  const forget = (since: number): void => {
    // In the order in which they came: some that are old may wait behind a newer one.
    for (const [nonce, at] of used) {
      if (at >= since && used.size < capacity) return;
      used.delete(nonce);
      if (at >= since) floor = Math.max(floor, at);
    }
  };
  return {
    take(nonce, at, since) {
      if (at <= floor || used.has(nonce)) return false;
      forget(since);
      used.set(nonce, at);
      return true;
    },
  };
};

export const nodeHeader = 'x-handset-node';
/** On an answer: this node has lost the database, and with it soon its devices. */
export const awayHeader = 'x-handset-away';
/** The id under which a message is sent, wherever that is tried. */
export const messageHeader = 'x-handset-message';
/** The node that passes this on cannot do it again: its body was a stream. */
export const onceHeader = 'x-handset-once';
/** The caller's address. A caller's own header of this name goes no further than the first node. */
export const addressHeader = 'x-handset-address';
/** The address by which the caller reached this installation. */
export const originHeader = 'x-handset-origin';
/** A trailer: the signature of a body that was not known when the request began. */
export const bodyTrailer = 'x-handset-body';

/** Between two nodes' clocks. */
const skewMs = 60_000;
/** Stands for the hash of a body that follows as a stream; its signature is in the trailer. */
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

/** One request to another node. */
export interface NodeRequest {
  /** The address of the node that it is for, as that node gives it. */
  readonly node: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders | OutgoingHttpHeaders;
}

export interface Signed {
  readonly header: string;
  /** The trailer of a streamed body, once its hash is known. */
  readonly trailer: (bodyHash: string) => string;
}

/** A request that another node has passed on. */
export interface Verified {
  readonly isVerified: true;
  /** Whether this is the hash of the body that was signed. */
  matches(bodyHash: string, trailer: string | undefined): boolean;
}

/** True only for a request whose signature was verified: what has not been looked at yet is a caller's. */
export const isFromNode = <T extends { readonly passedOn?: Verified | null }>(
  request: T,
): request is T & { readonly passedOn: Verified } => request.passedOn?.isVerified === true;

export interface NodeAuth {
  /** `body` null: it follows as a stream. */
  sign(request: NodeRequest, body: Uint8Array | null): Signed;
  /** `foreign`: not signed by a node, or too long ago. `refused`: signed for something else, or taken before. */
  verify(request: NodeRequest): Verified | 'foreign' | 'refused';
}

export const bodyHashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

const isSame = (given: string | undefined, expected: string): boolean => {
  const [one, two] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
};

/** Version, time, nonce, hash of the body, signature. */
const headerRule = /^2\.(\d{1,16})\.([\w-]{22})\.([\w-]{43}|-)\.([\w-]{43})$/;

export const makeNodeAuth = (secret: string, now: () => number): NodeAuth => {
  const key = Buffer.from(hkdfSync('sha256', secret, 'handset', 'between nodes 2', 32));
  const nonces = usedNonces();
  const macOf = (parts: readonly unknown[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
  const headOf = ({ node, method, path, headers }: NodeRequest, at: string, nonce: string, bodyHash: string): string =>
    macOf(['request', at, nonce, bodyHash, node, method, path, ...signedHeaders.map((name) => headers[name] ?? null)]);
  const trailerOf = (nonce: string, bodyHash: string): string => macOf(['body', nonce, bodyHash]);
  return {
    sign(request, body) {
      const at = String(now());
      const nonce = randomBytes(16).toString('base64url');
      const bodyHash = body === null ? streamed : bodyHashOf(body);
      const header = ['2', at, nonce, bodyHash, headOf(request, at, nonce, bodyHash)].join('.');
      return { header, trailer: (hash) => trailerOf(nonce, hash) };
    },
    verify(request) {
      const given = request.headers[nodeHeader];
      const [, at, nonce, bodyHash, mac] = (typeof given === 'string' ? headerRule.exec(given) : null) ?? [];
      if (at === undefined || nonce === undefined || bodyHash === undefined) return 'foreign';
      const time = Number(at);
      if (Math.abs(now() - time) > skewMs) return 'foreign';
      if (!isSame(mac, headOf(request, at, nonce, bodyHash))) return 'refused';
      if (!nonces.take(nonce, time, now() - skewMs)) return 'refused';
      return {
        isVerified: true,
        matches: (hash, trailer) =>
          bodyHash === streamed ? isSame(trailer, trailerOf(nonce, hash)) : isSame(bodyHash, hash),
      };
    },
  };
};
