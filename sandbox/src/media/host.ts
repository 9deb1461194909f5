/** The media host: HTTPS upload and download of encrypted files, as the network's own hosts do it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Blobs, HashMismatch, TooLarge } from './blobs.ts';
import type { Certificates } from './certificates.ts';
import { pictureTokenOf } from './pictures.ts';
import type { Recorder } from '../recorder.ts';

export interface MediaFaults {
  /** Answers every request with this status; null for as usual. */
  readonly status: number | null;
  /** Downloads have a wrong byte in them. */
  readonly corrupt: boolean;
}

export const noMediaFaults: MediaFaults = { status: null, corrupt: false };

export interface MediaHost {
  /** `ip:port`, as media connections name it. */
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  /** Download path of a blob, without the host. */
  directPath(token: string): string;
  /** How it fails from now on. */
  faults(): MediaFaults;
  setFaults(faults: MediaFaults): void;
  close(): Promise<void>;
}

export interface MediaHostOptions {
  readonly blobs: Blobs;
  readonly certificates: Certificates;
  readonly address: string;
  /** Host name for clients, if it is not the address. */
  readonly name?: string;
  readonly port: number;
  readonly record?: Recorder | undefined;
}

const uploadLimit = 100 * 1024 * 1024;

/** Kinds of media, as whatsmeow, Baileys rc14 and zapo (2026-08) have them in their uploads. */
const kinds = 'image video audio document sticker gif ptt ptv thumbnail-link md-app-state md-msg-hist'.split(' ');

/** The first upload of a file has the path without a number. */
const directPath = (blobs: Blobs, token: string): string => {
  const upload = blobs.uploadOf(token);
  return `/v/t62.7118-24/${token}.enc?ccb=11-4&oh=sandbox${upload === 0 ? '' : `&oe=${upload}`}&mms3=true`;
};

/** The token of a direct path, or null when the path is none. */
export const tokenOf = (path: string): string | null =>
  /^\/v\/t62\.7118-24\/([A-Za-z0-9_-]{43})\.enc(?:\?|$)/.exec(path)?.[1] ?? null;

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const upload = async (blobs: Blobs, request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
  const token = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
  const refuse = (status: number, error: string): void => {
    response.setHeader('connection', 'close');
    answer(response, status, { error });
    request.resume();
  };
  const kind = url.pathname.split('/')[2] ?? '';
  if (!kinds.includes(kind)) return refuse(400, `${kind} is no kind of media`);
  if (!url.searchParams.get('auth')) return refuse(401, 'auth is missing: ask for a media connection first');
  if (url.searchParams.get('token') !== token) return refuse(400, 'token in the path and in the query differ');
  try {
    await blobs.receive(token, request, uploadLimit);
  } catch (error) {
    if (error instanceof HashMismatch) return refuse(400, error.message);
    if (error instanceof TooLarge) return refuse(413, error.message);
    throw error;
  }
  const path = directPath(blobs, token);
  answer(response, 200, { url: `https://${request.headers.host}${path}`, direct_path: path, handle: token });
};

/** `bytes=a-b`, `bytes=a-` or `bytes=-n`, clipped to the file; null when there is none, `invalid` when it lies outside. */
export const byteRange = (header: string | undefined, size: number): [number, number] | 'invalid' | null => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first, last] = match;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? 'invalid' : [start, end];
};

/** Turns one bit of the first byte over. */
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
  const token = picture ?? tokenOf(request.url ?? '');
  const size = token === null ? null : blobs.size(token);
  if (token === null || size === null) return answer(response, 404, { error: 'there is no such file' });
  const { searchParams } = new URL(request.url ?? '/', 'https://media');
  if (Number(searchParams.get('oe') ?? 0) !== blobs.uploadOf(token)) {
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

/** An IPv6 address goes in brackets. */
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export const startMediaHost = async (options: MediaHostOptions): Promise<MediaHost> => {
  const { blobs, certificates, address, port } = options;
  let faults = noMediaFaults;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '/', rawHeaders: headers } = request;
    const url = new URL(path, 'https://media');
    options.record?.({ kind: 'request', method, path, headers });
    if (faults.status !== null) {
      request.resume();
      return answer(response, faults.status, { error: 'the media host has been told to fail' });
    }
    if (request.method === 'POST' && /^\/mms\/[a-z-]+\/[^/]+$/.test(url.pathname)) {
      return upload(blobs, request, response, url);
    }
    if (request.method === 'GET' || request.method === 'HEAD')
      return download(blobs, request, response, faults.corrupt);
    return answer(response, 405, { error: 'only POST, GET and HEAD' });
  };
  const server = createServer({ key: certificates.key, cert: certificates.cert }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the media host has no port');
  return {
    host: `${inUrl(options.name ?? bound.address)}:${bound.port}`,
    port: bound.port,
    ca: certificates.ca,
    directPath: (token) => directPath(blobs, token),
    faults: () => faults,
    setFaults: (next) => {
      faults = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
