/** Applies events to the devices, so that live updates need no requests. */
import type { Device, EventOf, HandsetEvent } from '../api/types.ts';

/** With `passkey` the network requires one, or a comparison of codes. */
export type Pairing = EventOf<'connection.auth'>['data'];

export const pairingOf = ({ type, data }: HandsetEvent): Pairing | null => (type === 'connection.auth' ? data : null);

/** What a phone has handed over since its device was linked. */
export interface History {
  readonly messages: number;
  /** Of the last part, ms. */
  readonly at: number;
}

export const applyToHistories = (
  old: ReadonlyMap<number, History>,
  { deviceId, type, data }: HandsetEvent,
): ReadonlyMap<number, History> => {
  if (type === 'connection.auth' && old.has(deviceId)) return new Map([...old].filter(([id]) => id !== deviceId));
  if (type !== 'history.loaded' || data.chat !== null) return old;
  const messages = (old.get(deviceId)?.messages ?? 0) + data.count;
  return new Map(old).set(deviceId, { messages, at: Date.now() });
};

const changeOf = (device: Device, { type, data }: HandsetEvent, isCounted: boolean): Partial<Device> => {
  switch (type) {
    case 'connection.open':
      return { status: 'connected', qr: null };
    case 'connection.auth':
      return { status: 'qr', qr: data.qr };
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
