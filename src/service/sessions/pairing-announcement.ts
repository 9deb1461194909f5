/** `connection.auth`: a QR or pairing code is ready, or a passkey is asked for (docs/spec/events.md, Event kinds). */
import type { SessionChanges } from '../../domain/changes.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Passkey } from '../../domain/passkey.ts';
import type { PairingOffer } from '../../domain/sessions/state.ts';

type Auth = Extract<DeviceEvent, { type: 'connection.auth' }>['data'];

const announcement = (data: Auth, at: number): SessionChanges => ({
  pairingAt: at,
  events: [{ event: { type: 'connection.auth', data }, at, orderKey: 'connection' }],
});

/** `drawn`: the PNG as a data URL, or null when it could not be drawn; its text is there in any case. */
export const pairingAnnouncement = (offer: PairingOffer, drawn: string | null, at: number): SessionChanges =>
  announcement(
    {
      qr: drawn,
      qrText: offer.qrText,
      pairingCode: offer.code?.code ?? null,
      passkey: false,
      expiresAt: new Date(offer.qrExpiresAt).toISOString(),
    },
    at,
  );

export const passkeyAnnouncement = ({ expiresAt }: Passkey, at: number): SessionChanges =>
  announcement(
    { qr: null, qrText: null, pairingCode: null, passkey: true, expiresAt: new Date(expiresAt).toISOString() },
    at,
  );
