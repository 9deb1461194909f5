/** Files from where the caller has them: a URL is downloaded, encrypted and uploaded piece by piece (docs/spec/messages.md, Send a document). */
import { type FileWish, fileNameIn } from '../../domain/messages/files.ts';
import { fileOf, type OutgoingContent } from '../../domain/messages/outgoing.ts';
import type { Network } from '../../domain/network.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import type { ImageRequest, ImageSource } from './image-source.ts';

/** 10 MB, as of images (docs/spec/messages.md, Send media). */
const maxBase64Bytes = 10_485_760;
/** A download takes at most half the time of its request, so that the rest is left for the upload, but never less than an image has. */
const leastDownloadMs = 15_000;
/** Each takes a temporary file; in memory they are a few pieces. */
const limits = { perUser: 4, total: 16, reserved: 8, queued: 2_000 };

interface About {
  readonly wish: FileWish;
  readonly caption: string | null;
  readonly signal: AbortSignal;
}

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
    source: ImageSource,
    wish: FileWish,
    caption: string | null,
    { userId, deadline }: ImageRequest,
    use: (content: OutgoingContent) => Promise<void>,
  ): Promise<void> {
    const { signal } = deadline;
    const about = { wish, caption, signal };
    if (!('url' in source)) return this.#use(source.bytes, about, use);
    const release = await this.#limit.acquire(userId, deadline);
    try {
      const bytes = this.#outbound.stream(source.url, { maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs, signal });
      const fileName = wish.fileName ?? fileNameIn(source.url);
      await this.#use(bytes, { ...about, wish: { ...wish, fileName } }, use);
    } finally {
      release();
    }
  }

  async #use(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    { wish, caption, signal }: About,
    use: (content: OutgoingContent) => Promise<void>,
  ): Promise<void> {
    const file = await this.#network.encipher(bytes, wish.kind).catch((cause: unknown) => {
      if (cause instanceof HandsetError) throw cause;
      throw new HandsetError('SendMediaFailed', 'Failed to send media message: the file could not be stored', {
        cause,
      });
    });
    try {
      if (file.plain.size === 0) throw invalidRequest('mediaUrl is empty: the file has no bytes');
      const content = await this.#network.prepareFile(file, wish, caption, signal);
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
