/** An image from where the caller has it, in the form in which it goes out (docs/spec/messages.md, Send media). */
import type { OutgoingImage } from '../../domain/message.ts';
import type { Network } from '../../domain/network.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { HandsetError } from '../../errors.ts';
import { type Patience, Turns } from '../users/concurrency-limit.ts';

export type ImageSource = { readonly url: string } | { readonly bytes: Uint8Array };

/** 10 MB (docs/spec/messages.md, Send media). */
const maxImageBytes = 10_485_760;
const downloadMs = 15_000;
/** 15 MB each as a body, 10 MB as what was downloaded. */
const memoryLimits = { each: 4, all: 10, spare: 6, waiting: 2_000 };
/** The decoder reads one image at a time. */
const decoderLimits = { each: 1, all: 1, waiting: 2_000 };

/** For every image that is in memory, as a body or as what was downloaded. */
export const imageTurns = (): Turns => new Turns(memoryLimits);

/** Whose image it is, and how long that is waited for. */
export interface Wisher {
  readonly userId: number;
  readonly patience: Patience;
}

export class ImageIntake {
  readonly #network: Network;
  readonly #outbound: Outbound;
  readonly #turns: Turns;
  readonly #decoder = new Turns(decoderLimits);

  constructor(network: Network, outbound: Outbound, turns: Turns) {
    this.#network = network;
    this.#outbound = outbound;
    this.#turns = turns;
  }

  /** Checks the request itself, before anything is fetched. Throws InvalidRequest, PayloadTooLarge. */
  async check(source: ImageSource): Promise<void> {
    if ('url' in source) await this.#outbound.check(source.url, 'mediaUrl');
    else if (source.bytes.length > maxImageBytes) {
      throw new HandsetError('PayloadTooLarge', 'Request payload too large');
    }
  }

  /**
   * Runs `use` with the image; one that is downloaded counts as in memory until that is done. Throws InvalidImage, InvalidRequest,
   * PayloadTooLarge, RateLimited and RequestTimeout.
   */
  async with(
    source: ImageSource,
    caption: string | null,
    wisher: Wisher,
    use: (image: OutgoingImage) => Promise<void>,
  ): Promise<void> {
    if (!('url' in source)) return use(await this.#prepare(source.bytes, caption, wisher));
    const { userId, patience } = wisher;
    const giveBack = await this.#turns.take(userId, patience);
    try {
      const { signal } = patience;
      const limits = { maxBytes: maxImageBytes, timeoutMs: downloadMs, signal };
      const bytes = await this.#outbound.download(source.url, limits);
      await use(await this.#prepare(bytes, caption, wisher));
    } finally {
      giveBack();
    }
  }

  async #prepare(bytes: Uint8Array, caption: string | null, { userId, patience }: Wisher): Promise<OutgoingImage> {
    const giveBack = await this.#decoder.take(userId, patience);
    try {
      return await this.#network.prepareImage(bytes, caption, patience.signal);
    } finally {
      giveBack();
    }
  }
}
