/** The picture of a device's present QR, drawn once an offer and not at every list. */
import type { QrRenderer } from '../../domain/outbound.ts';

export class QrImage {
  readonly #render: QrRenderer;
  #drawn: { readonly text: string; readonly image: Promise<string> } | null = null;

  constructor(render: QrRenderer) {
    this.#render = render;
  }

  of(text: string): Promise<string> {
    if (this.#drawn?.text !== text) this.#drawn = { text, image: this.#render(text) };
    return this.#drawn.image;
  }
}
