/** The announcement of a pairing offer, and the image of its QR. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Passkey } from '../../domain/passkey.ts';
import type { PairingOffer } from '../../domain/sessions/state.ts';
import type { QrRenderer } from '../../domain/outbound.ts';

type Auth = Extract<DeviceEvent, { type: 'connection.auth' }>['data'];

const announcement = (data: Auth, at: number): SessionChanges => ({
  pairingAt: at,
  facts: [{ event: { type: 'connection.auth', data }, at }],
});

export const pairingAnnouncement = (offer: PairingOffer, drawn: string | null, at: number): SessionChanges =>
  announcement(
    {
      qr: drawn,
      qrText: offer.qrText,
      pairingCode: offer.code?.code ?? null,
      passkey: false,
      expiresAt: offer.qrExpiresAt,
    },
    at,
  );

export const passkeyAnnouncement = ({ expiresAt }: Passkey, at: number): SessionChanges =>
  announcement({ qr: null, qrText: null, pairingCode: null, passkey: true, expiresAt }, at);

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
