/** The media host: HTTPS upload and download of encrypted files. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Blobs, HashMismatch, TooLarge, WrongOffset, pictureTokenOf } from './blobs.ts';
import type { Certificates } from './certificates.ts';
import type { Recorder } from '../base/recorder.ts';

export class MediaAuths {
  /** Part of every authorization; changing it invalidates them all. */
  #generation = randomBytes(6).toString('hex');

  issue(): string {
    return `${this.#generation}.${randomBytes(18).toString('base64url')}`;
  }

  expireAll(): void {
    this.#generation = randomBytes(6).toString('hex');
  }

  isValid(auth: string): boolean {
    return auth.startsWith(`${this.#generation}.`);
  }
}

export interface MediaFaults {
  readonly status: number | null;
  /** Downloads have one wrong byte. */
  readonly corrupt: boolean;
  /** Uploads break off after this many bytes, which are kept; null: never. */
  readonly breakUploads: { readonly afterBytes: number; readonly host: 'primary' | 'both' } | null;
  /** Uploads for channels get the path of messages (`elsewhere`), or no handle, as posts that nobody saw had it (Baileys #2199, WAHA #1523). */
  readonly channelUploads: 'usual' | 'elsewhere' | 'noHandle';
}

export const noMediaFaults: MediaFaults = {
  status: null,
  corrupt: false,
  breakUploads: null,
  channelUploads: 'usual',
};

export interface MediaHost {
  /** `ip:port`, as told to clients. */
  readonly host: string;
  /** A second host with the same files, on a free port. */
  readonly fallback: string;
  readonly port: number;
  readonly ca: string;
  directPath(token: string): string;
  faults(): MediaFaults;
  setFaults(faults: MediaFaults): void;
  close(): Promise<void>;
}

export interface MediaHostOptions {
  readonly blobs: Blobs;
  readonly auths: MediaAuths;
  readonly certificates: Certificates;
  readonly address: string;
  readonly name?: string;
  readonly port: number;
  readonly record?: Recorder | undefined;
}

/** The network accepts documents of up to 2 GB. */
export const uploadLimit = 2_000 * 1024 * 1024;

/** In upload paths of whatsmeow, Baileys rc14 and zapo (2026-08). */
const kinds = 'image video audio document sticker gif ptt ptv thumbnail-link md-app-state md-msg-hist'.split(' ');
/** Files of channels are not encrypted, and have a path of their own (whatsmeow `upload.go`, 2026-08). */
const channelKinds = 'image video audio document sticker gif ptt ptv thumbnail-link'.split(' ');

const channelPath = (token: string): string => `/m1/v/t24/${token}?ccb=9-4&oh=sandbox`;

const channelTokenOf = (path: string): string | null =>
  /^\/m1\/v\/t24\/([A-Za-z0-9_-]{43})(?:\?|$)/.exec(path)?.[1] ?? null;

const directPath = (blobs: Blobs, token: string): string => {
  const upload = blobs.uploadOf(token);
  return `/v/t62.7118-24/${token}.enc?ccb=11-4&oh=sandbox${upload === 0 ? '' : `&oe=${upload}`}&mms3=true`;
};

export const tokenOf = (path: string): string | null =>
  /^\/v\/t62\.7118-24\/([A-Za-z0-9_-]{43})\.enc(?:\?|$)/.exec(path)?.[1] ?? null;

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

interface UploadRequest {
  readonly blobs: Blobs;
  readonly auths: MediaAuths;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly breakAfter: number | null;
  readonly channelUploads: MediaFaults['channelUploads'];
}

async function* brokenOff(request: IncomingMessage, after: number): AsyncGenerator<Buffer> {
  let left = after;
  const chunks: AsyncIterable<Buffer> = request;
  for await (const chunk of chunks) {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left === 0) throw new Error('the media host has been told to break off');
  }
}

/** Answers WhatsApp Web's query before a large upload (whatsapp-rust `upload.rs`, 2026-04-30). */
const tellProgress = ({ blobs, request, response }: UploadRequest, token: string): void => {
  request.resume();
  if (blobs.size(token) === null) return answer(response, 200, { resume: String(blobs.partial(token)) });
  const path = directPath(blobs, token);
  answer(response, 200, { resume: 'complete', url: `https://${request.headers.host}${path}`, direct_path: path });
};

const statusOf = (error: unknown): number | null => {
  if (error instanceof TooLarge) return 413;
  return error instanceof HashMismatch || error instanceof WrongOffset ? 400 : null;
};

const upload = async (asked: UploadRequest): Promise<void> => {
  const { blobs, auths, request, response, url, breakAfter, channelUploads } = asked;
  const token = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
  const refuse = (status: number, error: string): void => {
    response.setHeader('connection', 'close');
    answer(response, status, { error });
    request.resume();
  };
  const [, service, kind = ''] = url.pathname.split('/');
  const ofChannel = service === 'newsletter';
  const isKind = ofChannel ? channelKinds.some((each) => kind === `newsletter-${each}`) : kinds.includes(kind);
  if (!isKind) return refuse(400, `${kind} is no kind of media`);
  const auth = url.searchParams.get('auth');
  if (!auth) return refuse(401, 'auth is missing: ask for a media connection first');
  if (!auths.isValid(auth)) return refuse(401, 'auth has expired: ask for another media connection');
  if (url.searchParams.get('token') !== token) return refuse(400, 'token in the path and in the query differ');
  if (url.searchParams.get('resume') === '1') return tellProgress(asked, token);
  const offset = Number(url.searchParams.get('file_offset') ?? 0);
  try {
    const body = breakAfter === null ? request : brokenOff(request, breakAfter);
    await blobs.receive(token, body, uploadLimit, offset);
  } catch (error) {
    const status = statusOf(error);
    if (status === null) throw error;
    return refuse(status, error instanceof Error ? error.message : '');
  }
  const path = ofChannel && channelUploads !== 'elsewhere' ? channelPath(token) : directPath(blobs, token);
  const handle = ofChannel && channelUploads === 'noHandle' ? {} : { handle: token };
  answer(response, 200, { url: `https://${request.headers.host}${path}`, direct_path: path, ...handle });
};

/** `bytes=a-b`, `bytes=a-` or `bytes=-n`, clipped to the file. Null without a header, `invalid` if out of range. */
export const byteRange = (header: string | undefined, size: number): [number, number] | 'invalid' | null => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first, last] = match;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? 'invalid' : [start, end];
};

const spoil = (): Transform => {
  let first = true;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const spoiled = first ? Buffer.concat([Buffer.from([(chunk[0] ?? 0) ^ 1]), chunk.subarray(1)]) : chunk;
      first = false;
      done(null, spoiled);
    },
  });
};

const download = async (
  blobs: Blobs,
  request: IncomingMessage,
  response: ServerResponse,
  corrupt: boolean,
): Promise<void> => {
  const picture = pictureTokenOf(request.url ?? '');
  const ofChannel = channelTokenOf(request.url ?? '');
  const token = picture ?? ofChannel ?? tokenOf(request.url ?? '');
  const size = token === null ? null : blobs.size(token);
  if (token === null || size === null) return answer(response, 404, { error: 'there is no such file' });
  const { searchParams } = new URL(request.url ?? '/', 'https://media');
  if (ofChannel === null && Number(searchParams.get('oe') ?? 0) !== blobs.uploadOf(token)) {
    return answer(response, 410, { error: 'the file has expired' });
  }
  const range = byteRange(request.headers.range, size);
  if (range === 'invalid') {
    response.setHeader('content-range', `bytes */${size}`);
    return answer(response, 416, { error: 'the range lies outside the file' });
  }
  const [start, end] = range ?? [0, size - 1];
  response.writeHead(range === null ? 200 : 206, {
    'content-type': picture === null ? 'application/octet-stream' : 'image/jpeg',
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const file = blobs.stream(token, start, end);
  await (corrupt ? pipeline(file, spoil(), response) : pipeline(file, response));
};

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const serve = async (
  { certificates, address }: MediaHostOptions,
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
) => {
  const server = createServer({ key: certificates.key, cert: certificates.cert }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the media host has no port');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: bound.address, port: bound.port, close };
};

export const startMediaHost = async (options: MediaHostOptions): Promise<MediaHost> => {
  const { blobs, auths, certificates, name } = options;
  let faults = noMediaFaults;
  const breakAfter = (isPrimary: boolean): number | null => {
    const { breakUploads } = faults;
    return breakUploads !== null && (isPrimary || breakUploads.host === 'both') ? breakUploads.afterBytes : null;
  };
  const handle = (isPrimary: boolean) => async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '/', rawHeaders: headers } = request;
    const url = new URL(path, 'https://media');
    options.record?.({ kind: 'request', method, path, headers });
    if (faults.status !== null) {
      request.resume();
      return answer(response, faults.status, { error: 'the media host has been told to fail' });
    }
    if (request.method === 'POST' && /^\/(?:mms|newsletter)\/[a-z-]+\/[^/]+$/.test(url.pathname)) {
      const { channelUploads } = faults;
      return upload({ blobs, auths, request, response, url, breakAfter: breakAfter(isPrimary), channelUploads });
    }
    if (request.method === 'GET' || request.method === 'HEAD')
      return download(blobs, request, response, faults.corrupt);
    return answer(response, 405, { error: 'only POST, GET and HEAD' });
  };
  const primary = await serve(options, options.port, handle(true));
  const fallback = await serve(options, 0, handle(false));
  const hostOf = ({ address, port }: typeof primary): string => `${inUrl(name ?? address)}:${port}`;
  return {
    host: hostOf(primary),
    fallback: hostOf(fallback),
    port: primary.port,
    ca: certificates.ca,
    directPath: (token) => directPath(blobs, token),
    faults: () => faults,
    setFaults: (next) => {
      faults = next;
    },
    close: async () => {
      await Promise.all([primary.close(), fallback.close()]);
    },
  };
};
