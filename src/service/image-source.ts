/** An image from where the caller has it, in the form in which it goes out (interface.md, send media message). */
import type { OutgoingImage } from '../domain/message.ts';
import type { Network } from '../domain/network.ts';
import type { Outbound } from '../domain/outbound.ts';
import { HandsetError } from '../errors.ts';
import { Slots } from './slots.ts';

export type ImageSource = { readonly url: string } | { readonly bytes: Uint8Array };

/** 10 MB (interface.md, Limits). */
export const maxImageBytes = 10_485_760;
const downloadMs = 15_000;
/** Images in memory before they are small: downloads and conversions at a time. */
const maxAtATime = 8;

export class ImageIntake {
  readonly #network: Network;
  readonly #outbound: Outbound;
  readonly #slots = new Slots(maxAtATime);

  constructor(network: Network, outbound: Outbound) {
    this.#network = network;
    this.#outbound = outbound;
  }

  /** What is wrong with the request itself, before anything is fetched. Throws InvalidRequest, PayloadTooLarge. */
  async check(source: ImageSource): Promise<void> {
    if ('url' in source) await this.#outbound.check(source.url, 'mediaUrl');
    else if (source.bytes.length > maxImageBytes) {
      throw new HandsetError('PayloadTooLarge', 'Request payload too large');
    }
  }

  /** Throws InvalidImage, InvalidRequest, PayloadTooLarge. */
  async take(source: ImageSource, caption: string | null): Promise<OutgoingImage> {
    const release = await this.#slots.take(false);
    try {
      const bytes =
        'url' in source
          ? await this.#outbound.download(source.url, { maxBytes: maxImageBytes, timeoutMs: downloadMs })
          : source.bytes;
      return await this.#network.prepareImage(bytes, caption);
    } finally {
      release();
    }
  }
}
