/** Fetches files and converts them for sending (docs/spec/messages.md, Send media, Send a document). */
import { nameInDisposition, nameInUrl } from '../../domain/messages/file-names.ts';
import {
  type FileContent,
  type FileRequest,
  isImage,
  signatureBytes,
  type MediaRequest,
} from '../../domain/messages/files.ts';
import { fileOf, isMedia, type OutgoingContent } from '../../domain/messages/outgoing.ts';
import type { Network } from '../../domain/network.ts';
import type { FileAnswer, Outbound } from '../../domain/outbound.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import { ConcurrencyLimit } from '../users/admission.ts';
import type { UploadedFile } from '../media/uploads.ts';
import { diskFull, isDiskFull } from './disk-full.ts';

export type RequestedFile = { readonly url: string } | { readonly bytes: Uint8Array };

export type FileSource = RequestedFile | { readonly upload: UploadedFile };

export interface Requester {
  readonly userId: number;
  readonly deadline: RequestDeadline;
}

/** 10 MB, of files in base64 and of images (docs/spec/messages.md, Send media). */
const maxBytesInMemory = 10_485_760;
const imageDownloadMs = 15_000;

/** An image takes 15 MB as a body, or 10 MB once downloaded. */
const memoryLimits = { perUser: 4, total: 10, reserved: 6, queued: 2_000 };
/** Other files take a temporary file each, and a few pieces in memory. */
const streamLimits = { perUser: 4, total: 16, reserved: 8, queued: 2_000 };

export const makeImageLimit = (): ConcurrencyLimit => new ConcurrencyLimit(memoryLimits);

const notStored = (cause: unknown): HandsetError => {
  if (cause instanceof HandsetError) return cause;
  if (isDiskFull(cause)) return diskFull(cause);
  return new HandsetError('SendMediaFailed', 'Failed to send media message: the file could not be stored', { cause });
};

const tooLarge = (): HandsetError => new HandsetError('PayloadTooLarge', 'Request payload too large');

const pieceBytes = 262_144;

async function* piecesOf({ plain }: UploadedFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < plain.size; at += pieceBytes) yield await plain.read(at, pieceBytes);
}

/** The first bytes of a stream, and the stream including them. */
const begun = async (stream: AsyncIterable<Uint8Array>): Promise<[Uint8Array, AsyncIterable<Uint8Array>]> => {
  const pieces = stream[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < signatureBytes) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    read.push(value);
    bytes += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* read;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  return [Buffer.concat(read).subarray(0, signatureBytes), all()];
};

const whole = async (stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    // Copied, as the stream may reuse the memory.
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
};

type StreamedFile = Exclude<FileRequest, { readonly kind: 'image' }>;

/** Name and type from elsewhere are defaults. */
const named = (request: StreamedFile, fileName: string | null, mimetype: string | null): StreamedFile =>
  request.kind === 'document' ? { ...request, download: { fileName, mimetype } } : request;

const mediaRequestOf = ({ userId, deadline: { signal } }: Requester): MediaRequest => ({ userId, signal });

type Use = (content: OutgoingContent) => Promise<void>;

interface Asked {
  readonly request: () => FileRequest;
  readonly caption: string | null;
  readonly requester: Requester;
}

interface IntakeParts {
  readonly network: Network;
  readonly outbound: Outbound;
  readonly options: { readonly maxMediaBytes: number; readonly requestTimeoutMs: number };
}

export class FileIntake {
  readonly #network: Network;
  readonly #outbound: Outbound;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #images: ConcurrencyLimit;
  readonly #streams = new ConcurrencyLimit(streamLimits);

  constructor({ network, outbound, options }: IntakeParts, imageLimit: ConcurrencyLimit) {
    this.#network = network;
    this.#outbound = outbound;
    this.#maxBytes = options.maxMediaBytes;
    // Leaves half of the request's time for the upload.
    this.#timeoutMs = Math.max(imageDownloadMs, options.requestTimeoutMs / 2);
    this.#images = imageLimit;
  }

  /** Checks the request itself, before anything is fetched. Throws InvalidRequest, PayloadTooLarge. */
  async check(source: RequestedFile, kind: FileRequest['kind']): Promise<void> {
    if ('url' in source) return this.#outbound.check(source.url, 'mediaUrl');
    if (source.bytes.length === 0 && kind !== 'image') throw invalidRequest('mediaBase64 is empty');
    if (source.bytes.length > maxBytesInMemory) throw tooLarge();
  }

  /** Runs `use`, then removes the file. Throws InvalidRequest, InvalidImage, PayloadTooLarge, RateLimited, RequestTimeout, SendMediaFailed. */
  async with(
    source: FileSource,
    request: FileRequest,
    caption: string | null,
    requester: Requester,
    use: Use,
  ): Promise<void> {
    const asked = { request: () => request, caption, requester };
    if (request.kind === 'image') return this.#inMemory(source, requester, (bytes) => this.#use(bytes, asked, use));
    if ('bytes' in source) return this.#use(source.bytes, asked, use);
    const { userId, deadline } = requester;
    const release = await this.#streams.acquire(userId, deadline);
    try {
      if ('upload' in source) {
        const { fileName, mimetype } = source.upload;
        const known = named(request, fileName, mimetype);
        return await this.#use(piecesOf(source.upload), { ...asked, request: () => known }, use);
      }
      let answered: StreamedFile = request;
      const onAnswer = ({ url, contentType, contentDisposition }: FileAnswer): void => {
        answered = named(request, nameInDisposition(contentDisposition) ?? nameInUrl(url), contentType);
      };
      const bounds = { maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs, signal: deadline.signal, onAnswer };
      const pieces = this.#outbound.stream(source.url, bounds);
      await this.#use(pieces, { ...asked, request: () => answered }, use);
    } finally {
      release();
    }
  }

  /** As `with`, for an image or a video, as its first bytes show. */
  async withPicture(
    source: FileSource,
    caption: string | null,
    requester: Requester,
    use: (content: FileContent) => Promise<void>,
  ): Promise<void> {
    const { userId, deadline } = requester;
    const media = async (content: OutgoingContent): Promise<void> => {
      if (isMedia(content)) await use(content);
    };
    const as = (kind: 'image' | 'video', from: FileSource) =>
      this.with(from, kind === 'image' ? { kind } : { kind, isGif: false }, caption, requester, media);
    if ('bytes' in source) return as(isImage(source.bytes) ? 'image' : 'video', source);
    if ('upload' in source) {
      const head = await source.upload.plain.read(0, signatureBytes);
      return as(isImage(head) ? 'image' : 'video', source);
    }
    const release = await this.#streams.acquire(userId, deadline);
    try {
      const bounds = { maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs, signal: deadline.signal };
      const [head, pieces] = await begun(this.#outbound.stream(source.url, bounds));
      const kind = isImage(head) ? 'image' : 'video';
      const request = kind === 'image' ? ({ kind } as const) : ({ kind, isGif: false } as const);
      const asked = { request: () => request, caption, requester };
      if (kind === 'video') return await this.#use(pieces, asked, media);
      const releaseImage = await this.#images.acquire(userId, deadline);
      try {
        await this.#use(await whole(pieces, maxBytesInMemory), asked, media);
      } finally {
        releaseImage();
      }
    } finally {
      release();
    }
  }

  /** As `with`, for the picture of a profile or a group: a square JPEG. */
  withSquare<T>(source: RequestedFile, requester: Requester, use: (jpeg: Uint8Array) => Promise<T>): Promise<T> {
    return this.#inMemory(source, requester, async (bytes) =>
      use(await this.#network.preparePicture(bytes, mediaRequestOf(requester))),
    );
  }

  /** Images are decoded whole. One from elsewhere counts as in memory until `use` is done. */
  async #inMemory<T>(
    source: FileSource,
    { userId, deadline }: Requester,
    use: (bytes: Uint8Array) => Promise<T>,
  ): Promise<T> {
    if ('bytes' in source) return use(source.bytes);
    if ('upload' in source && source.upload.plain.size > maxBytesInMemory) throw tooLarge();
    const release = await this.#images.acquire(userId, deadline);
    try {
      if ('upload' in source) return await use(await source.upload.plain.read(0, maxBytesInMemory));
      const { signal } = deadline;
      const bounds = { maxBytes: maxBytesInMemory, timeoutMs: imageDownloadMs, signal };
      return await use(await this.#outbound.download(source.url, bounds));
    } finally {
      release();
    }
  }

  async #use(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    { request, caption, requester }: Asked,
    use: Use,
  ): Promise<void> {
    const { kind } = request();
    const file = await this.#network.encipher(bytes, kind).catch((cause: unknown) => {
      throw notStored(cause);
    });
    try {
      if (file.plain.size === 0 && kind !== 'image') throw invalidRequest('mediaUrl is empty: the file has no bytes');
      const content = await this.#network.prepareFile(file, request(), caption, mediaRequestOf(requester));
      const sent = fileOf(content);
      if (sent !== file) await file.close();
      try {
        await use(content);
      } finally {
        await sent?.close();
      }
    } finally {
      await file.close();
    }
  }
}
