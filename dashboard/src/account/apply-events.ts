/** Applies events to the devices, so that live updates need no requests. */
import type { Device, HandsetEvent } from '../api/types.ts';

export interface Pairing {
  readonly qr: string | null;
  readonly pairingCode: string | null;
  readonly expiresAt: string | null;
  /** The network requires a passkey, or a comparison of codes. */
  readonly passkey: boolean;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const pairingOf = ({ type, data }: HandsetEvent): Pairing | null =>
  type === 'connection.auth'
    ? {
        qr: textOf(data.qr),
        pairingCode: textOf(data.pairingCode),
        expiresAt: textOf(data.expiresAt),
        passkey: data.passkey === true,
      }
    : null;

const changeOf = (device: Device, { type, data }: HandsetEvent, isCounted: boolean): Partial<Device> => {
  switch (type) {
    case 'connection.open':
      return { status: 'connected', qr: null };
    case 'connection.auth':
      return { status: 'qr', qr: textOf(data.qr) };
    case 'connection.closed':
    case 'connection.timeout':
    case 'connection.logout':
      return { status: 'timeout', qr: null };
    case 'message.sent':
      return !isCounted && data.source === 'api' ? { messagesSent: device.messagesSent + 1 } : {};
    default:
      return {};
  }
};

/** `isCounted`: the counters of the devices already include the event. */
export const applyEvent = (devices: readonly Device[], event: HandsetEvent, isCounted: boolean): readonly Device[] =>
  devices.map((device) =>
    device.id === event.deviceId ? { ...device, ...changeOf(device, event, isCounted) } : device,
  );
