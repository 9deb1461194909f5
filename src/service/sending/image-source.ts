/** An image from where the caller has it, in the form in which it goes out (docs/spec/messages.md, Send media). */
import type { MediaRequest } from '../../domain/messages/media.ts';
import type { OutgoingImage } from '../../domain/messages/outgoing.ts';
import type { Network } from '../../domain/network.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { HandsetError } from '../../errors.ts';
import type { UploadedFile } from '../media/uploads.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import { ConcurrencyLimit } from '../users/concurrency-limit.ts';

export type ImageSource = { readonly url: string } | { readonly bytes: Uint8Array };

/** Also one that was uploaded before. */
export type FileSource = ImageSource | { readonly upload: UploadedFile };

/** 10 MB (docs/spec/messages.md, Send media). */
const maxImageBytes = 10_485_760;
const downloadMs = 15_000;
/** An image takes 15 MB as a body, or 10 MB once downloaded. */
const memoryLimits = { perUser: 4, total: 10, reserved: 6, queued: 2_000 };

/** Bounds the images in memory, both request bodies and downloads. */
export const makeImageLimit = (): ConcurrencyLimit => new ConcurrencyLimit(memoryLimits);

/** The user that the image counts against, and the deadline of the request. */
export interface ImageRequest {
  readonly userId: number;
  readonly deadline: RequestDeadline;
}

export const turnOf = ({ userId, deadline: { signal } }: ImageRequest): MediaRequest => ({ userId, signal });

const tooLarge = (): HandsetError => new HandsetError('PayloadTooLarge', 'Request payload too large');

export class ImageIntake {
  readonly #network: Network;
  readonly #outbound: Outbound;
  readonly #limit: ConcurrencyLimit;

  constructor(network: Network, outbound: Outbound, limit: ConcurrencyLimit) {
    this.#network = network;
    this.#outbound = outbound;
    this.#limit = limit;
  }

  /** Checks the request itself, before anything is fetched. Throws InvalidRequest, PayloadTooLarge. */
  async check(source: ImageSource): Promise<void> {
    if ('url' in source) await this.#outbound.check(source.url, 'mediaUrl');
    else if (source.bytes.length > maxImageBytes) throw tooLarge();
  }

  /**
   * Runs `use` with the image. A downloaded image counts as in memory until that is done. Throws InvalidImage, InvalidRequest,
   * PayloadTooLarge, RateLimited and RequestTimeout.
   */
  with(
    source: FileSource,
    caption: string | null,
    request: ImageRequest,
    use: (image: OutgoingImage) => Promise<void>,
  ): Promise<void> {
    return this.#withBytes(source, request, async (bytes) =>
      use(await this.#network.prepareImage(bytes, caption, turnOf(request))),
    );
  }

  /** As `with`, for the picture of a profile: a square JPEG. */
  withSquare<T>(source: ImageSource, request: ImageRequest, use: (jpeg: Uint8Array) => Promise<T>): Promise<T> {
    return this.#withBytes(source, request, async (bytes) =>
      use(await this.#network.preparePicture(bytes, turnOf(request))),
    );
  }

  async #withBytes<T>(
    source: FileSource,
    { userId, deadline }: ImageRequest,
    use: (bytes: Uint8Array) => Promise<T>,
  ): Promise<T> {
    if ('bytes' in source) return use(source.bytes);
    if ('upload' in source && source.upload.plain.size > maxImageBytes) throw tooLarge();
    const release = await this.#limit.acquire(userId, deadline);
    try {
      if ('upload' in source) return await use(await source.upload.plain.read(0, maxImageBytes));
      const { signal } = deadline;
      return await use(
        await this.#outbound.download(source.url, { maxBytes: maxImageBytes, timeoutMs: downloadMs, signal }),
      );
    } finally {
      release();
    }
  }
}
