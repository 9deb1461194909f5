/** Downloads of `mediaUrl`: few redirects, each checked, and limits on received and unpacked bytes. */
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { release } from '../domain/messages/files.ts';
import { type DownloadLimits, type FileAnswer, isHostFailure, mediaHostFailed, type Page } from '../domain/outbound.ts';
import { HandsetError, invalidRequest } from '../errors.ts';

/** One chunk at a time: joined chunks are a copy, freed only by the next garbage collection. */
export const highWaterMark = 1;

const maxRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

export interface DownloadParts {
  readonly agent: Dispatcher;
  readonly check: (url: string) => URL;
  readonly userAgent: string;
  readonly accept?: string | undefined;
}

const unpackers = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

const headerOf = (headers: Dispatcher.ResponseData['headers'], name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const tooLarge = (): HandsetError => new HandsetError('PayloadTooLarge', 'Request payload too large');

async function* capped(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    yield chunk;
  }
}

const encodingOf = (headers: Dispatcher.ResponseData['headers']): string =>
  (headerOf(headers, 'content-encoding') ?? '').trim().toLowerCase();

/** One buffer if the length is known: chunks and their concatenation would take twice the memory. */
const gatherer = (announced: number) => {
  const whole = announced > 0 ? Buffer.allocUnsafeSlow(announced) : null;
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk: Buffer): void {
      size += chunk.length;
      if (whole === null) return void chunks.push(chunk);
      chunk.copy(whole, size - chunk.length);
      release(chunk);
    },
    result(): Buffer {
      if (whole !== null) return whole.subarray(0, size);
      const joined = Buffer.concat(chunks);
      chunks.splice(0).forEach(release);
      return joined;
    },
  };
};

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR__|ERR_PADDING)/.test(String(error.code));

async function* unpacked(body: Readable, unpacker: () => Duplex, maxBytes: number): AsyncGenerator<Buffer> {
  try {
    const whole = unpacker();
    pipeline(capped(body, maxBytes), whole, () => undefined);
    yield* whole;
  } catch (error) {
    throw isBroken(error) ? invalidRequest('mediaUrl was answered with a broken content encoding') : error;
  }
}

/** Ignores unknown encodings: some servers put the type, charset or storage class there. */
const piecesOf = (body: Readable, encoding: string, maxBytes: number): AsyncGenerator<Buffer> => {
  const unpacker = unpackers.get(encoding);
  return capped(unpacker === undefined ? body : unpacked(body, unpacker, maxBytes), maxBytes);
};

const collect = async (body: Readable, encoding: string, maxBytes: number, announced: number): Promise<Uint8Array> => {
  const gathered = gatherer(unpackers.has(encoding) ? 0 : announced);
  for await (const chunk of piecesOf(body, encoding, maxBytes)) gathered.add(chunk);
  return gathered.result();
};

interface OpenAnswer extends FileAnswer {
  readonly body: Readable;
  readonly encoding: string;
  readonly announced: number;
}

/** A busy or failing host is neither the caller's fault nor ours. */
const refused = (status: number, retryAfter: string | undefined): HandsetError =>
  isHostFailure(status)
    ? mediaHostFailed('Failed to send media message', 'the host of mediaUrl', status, retryAfter)
    : invalidRequest(`mediaUrl was answered with HTTP ${status}`);

/** Throws HandsetError for problems of the response, other errors for problems of the connection. */
const openFile = async (
  { agent, check, userAgent, accept = 'image/*, */*;q=0.1' }: DownloadParts,
  address: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<OpenAnswer> => {
  let url = check(address);
  for (let hop = 0; ; hop += 1) {
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: { 'user-agent': userAgent, accept, 'accept-encoding': 'identity' },
      signal,
      highWaterMark,
    });
    // Destroyed in any case, so that an unread body does not keep the connection.
    body.on('error', () => undefined);
    try {
      const location = headerOf(headers, 'location');
      if (redirects.has(statusCode) && location !== undefined) {
        if (hop === maxRedirects) throw invalidRequest(`mediaUrl redirects more than ${maxRedirects} times`);
        if (!URL.canParse(location, url.href))
          throw invalidRequest('mediaUrl redirects to something that is not a URL');
        url = check(new URL(location, url.href).href);
        body.destroy();
        continue;
      }
      if (statusCode !== 200) throw refused(statusCode, headerOf(headers, 'retry-after'));
      const announced = Number(headerOf(headers, 'content-length') ?? 0);
      if (announced > maxBytes) throw tooLarge();
      return {
        body,
        encoding: encodingOf(headers),
        announced: Number.isInteger(announced) ? announced : 0,
        url: url.href,
        contentType: headerOf(headers, 'content-type') ?? null,
        contentDisposition: headerOf(headers, 'content-disposition') ?? null,
      };
    } catch (error) {
      body.destroy();
      throw error;
    }
  }
};

export const fetchFile = async (
  parts: DownloadParts,
  address: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const { body, encoding, announced } = await openFile(parts, address, maxBytes, signal);
  try {
    return await collect(body, encoding, maxBytes, announced);
  } finally {
    body.destroy();
  }
};

export async function* streamFile(
  parts: DownloadParts,
  address: string,
  { maxBytes, onAnswer }: Pick<DownloadLimits, 'maxBytes' | 'onAnswer'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { body, encoding, url, contentType, contentDisposition } = await openFile(parts, address, maxBytes, signal);
  try {
    onAnswer?.({ url, contentType, contentDisposition });
    yield* piecesOf(body, encoding, maxBytes);
  } finally {
    body.destroy();
  }
}

/** Throws HandsetError for problems of the response, other errors for problems of the connection. */
export const fetchPage = async (
  agent: Dispatcher,
  { origin, pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Page> => {
  const request = { origin, path: `${pathname}${search}`, method: 'GET', signal } as const;
  const answer = await agent.request({ ...request, headers: { ...headers, 'accept-encoding': 'identity' } });
  const { statusCode: status, body } = answer;
  body.on('error', () => undefined);
  try {
    if (status !== 200) return { status, text: '' };
    const bytes = await collect(body, encodingOf(answer.headers), maxBytes, 0);
    return { status, text: Buffer.from(bytes).toString('utf8') };
  } finally {
    body.destroy();
  }
};

/** Message about a page, where that of a download names its field. */
export const pageProblem = (error: HandsetError, maxBytes: number): string =>
  error.name === 'PayloadTooLarge'
    ? `the page is larger than ${Math.round(maxBytes / 1_048_576)} MB`
    : error.message.replace(/^mediaUrl/, 'the page');
