/** Files from where the caller has them: a URL is downloaded, encrypted and uploaded piece by piece (docs/spec/messages.md, Send a document). */
import { nameInDisposition, nameInUrl } from '../../domain/messages/file-names.ts';
import type { FileWish } from '../../domain/messages/files.ts';
import { fileOf, type OutgoingContent } from '../../domain/messages/outgoing.ts';
import type { Network } from '../../domain/network.ts';
import type { FileAnswer, Outbound } from '../../domain/outbound.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import type { UploadedFile } from '../media/uploads.ts';
import { diskFull, isDiskFull } from './disk-full.ts';
import { type FileSource, type ImageRequest, type ImageSource, turnOf } from './image-source.ts';

/** 10 MB, as of images (docs/spec/messages.md, Send media). */
const maxBase64Bytes = 10_485_760;
/** A download takes at most half the time of its request, so that the rest is left for the upload, but never less than an image has. */
const leastDownloadMs = 15_000;
/** Each takes a temporary file; in memory they are a few pieces. */
const limits = { perUser: 4, total: 16, reserved: 8, queued: 2_000 };

const pieceBytes = 262_144;

async function* piecesOf({ plain }: UploadedFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < plain.size; at += pieceBytes) yield await plain.read(at, pieceBytes);
}

interface About {
  readonly wish: FileWish;
  readonly caption: string | null;
  readonly request: ImageRequest;
}

/** Name and type by the answer; they count where the caller gives none. */
const answeredWith = (wish: FileWish, { url, contentType, contentDisposition }: FileAnswer): FileWish => {
  if (wish.kind !== 'document') return wish;
  const fileName = nameInDisposition(contentDisposition) ?? nameInUrl(url);
  return { ...wish, download: { fileName, mimetype: contentType } };
};

export class FileIntake {
  readonly #network: Network;
  readonly #outbound: Outbound;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #limit = new ConcurrencyLimit(limits);

  constructor({ network, outbound, options }: LiveParts) {
    this.#network = network;
    this.#outbound = outbound;
    this.#maxBytes = options.maxMediaBytes;
    this.#timeoutMs = Math.max(leastDownloadMs, options.requestTimeoutMs / 2);
  }

  /** Checks the request itself, before anything is fetched. Throws InvalidRequest, PayloadTooLarge. */
  async check(source: ImageSource): Promise<void> {
    if ('url' in source) return this.#outbound.check(source.url, 'mediaUrl');
    if (source.bytes.length === 0) throw invalidRequest('mediaBase64 is empty');
    if (source.bytes.length > maxBase64Bytes) throw new HandsetError('PayloadTooLarge', 'Request payload too large');
  }

  /** Runs `use` with the file, which is removed when that is done. Throws InvalidRequest, PayloadTooLarge, RateLimited, RequestTimeout and SendMediaFailed. */
  async with(
    source: FileSource,
    wish: FileWish,
    caption: string | null,
    request: ImageRequest,
    use: (content: OutgoingContent) => Promise<void>,
  ): Promise<void> {
    const { userId, deadline } = request;
    const { signal } = deadline;
    const about = { wish, caption, request };
    if ('bytes' in source) return this.#use(source.bytes, () => about, use);
    const release = await this.#limit.acquire(userId, deadline);
    try {
      if ('upload' in source) {
        const { fileName, mimetype } = source.upload;
        const named = wish.kind === 'document' ? { ...wish, download: { fileName, mimetype } } : wish;
        return await this.#use(piecesOf(source.upload), () => ({ ...about, wish: named }), use);
      }
      let answered = wish;
      const onAnswer = (answer: FileAnswer): void => void (answered = answeredWith(wish, answer));
      const bounds = { maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs, signal, onAnswer };
      await this.#use(this.#outbound.stream(source.url, bounds), () => ({ ...about, wish: answered }), use);
    } finally {
      release();
    }
  }

  async #use(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    about: () => About,
    use: (content: OutgoingContent) => Promise<void>,
  ): Promise<void> {
    const file = await this.#network.encipher(bytes, about().wish.kind).catch((cause: unknown) => {
      if (cause instanceof HandsetError) throw cause;
      if (isDiskFull(cause)) throw diskFull(cause);
      throw new HandsetError('SendMediaFailed', 'Failed to send media message: the file could not be stored', {
        cause,
      });
    });
    try {
      if (file.plain.size === 0) throw invalidRequest('mediaUrl is empty: the file has no bytes');
      const { wish, caption, request } = about();
      const content = await this.#network.prepareFile(file, wish, caption, turnOf(request));
      try {
        await use(content);
      } finally {
        await fileOf(content)?.close();
      }
    } finally {
      await file.close();
    }
  }
}
