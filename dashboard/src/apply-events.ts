/** Applies events to the loaded data, so that live updates need no requests. */
import type { Device, HandsetEvent, Message, MessageState } from './api/types.ts';

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

const steps: readonly MessageState[] = ['pending', 'accepted', 'delivered', 'read'];

/** Late receipts never move a message back to an earlier state. */
const laterState = (old: MessageState, next: unknown): MessageState => {
  if (next === 'failed') return 'failed';
  const state = next === 'played' ? 'read' : next;
  const found = steps.find((step) => step === state);
  return found !== undefined && steps.indexOf(found) > steps.indexOf(old) ? found : old;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const updated = (message: Message, event: HandsetEvent): Message => {
  const { update } = event.data;
  if (!isRecord(update)) return message;
  if ('status' in update) return { ...message, state: laterState(message.state, update.status) };
  // The content of a message that arrived without it. The state is the one known here.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
  if (isRecord(update.message)) return { ...message, ...(update.message as Partial<Message>), state: message.state };
  return 'text' in update ? { ...message, text: textOf(update.text) } : message;
};

/** `messages` are newest first, as the API lists them. */
export const applyToMessages = (messages: readonly Message[], event: HandsetEvent): readonly Message[] => {
  const { type, data } = event;
  if (type === 'message.sent' || type === 'message.received') {
    if (!isRecord(data.message)) return messages;
    const direction = type === 'message.sent' ? 'out' : 'in';
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
    const message = { state: 'accepted', failedAt: null, deletedAt: null, ...data.message, direction } as Message;
    const known = messages.find(({ id, chat }) => id === message.id && chat === message.chat);
    if (known === undefined) return [message, ...messages];
    return messages.map((one) => (one === known ? { ...message, state: laterState(known.state, message.state) } : one));
  }
  const matches = ({ id, chat }: Message): boolean => id === data.messageId && chat === data.chat;
  if (type === 'message.updated') return messages.map((one) => (matches(one) ? updated(one, event) : one));
  if (type === 'message.deleted') {
    return messages.map((one) => (matches(one) ? { ...one, deletedAt: event.timestamp, text: null } : one));
  }
  return messages;
};
