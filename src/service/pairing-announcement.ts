/** `connection.auth`: a QR or pairing code is ready (decisions.md, Events and webhooks). */
import type { SessionChanges } from '../domain/changes.ts';
import type { PairingOffer } from '../domain/session-state.ts';

/** `drawn`: the PNG as a data URL, or null when it could not be drawn; its text is there in any case. */
export const pairingAnnouncement = (offer: PairingOffer, drawn: string | null, at: number): SessionChanges => ({
  events: [
    {
      event: {
        type: 'connection.auth',
        data: {
          qr: drawn,
          qrText: offer.qrText,
          pairingCode: offer.code?.code ?? null,
          expiresAt: new Date(offer.qrExpiresAt).toISOString(),
        },
      },
      at,
      orderKey: 'connection',
    },
  ],
});
