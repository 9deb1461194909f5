/** An event in one line, for people. */
import type { DeviceEvent, EventEnvelope, MessageData } from '../../domain/event.ts';
import { type Part, paint } from './paint.ts';

const excerptLength = 60;

const excerpt = (text: string | null): string => {
  if (text === null) return '';
  const line = text.replace(/\s+/g, ' ');
  return ` "${line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line}"`;
};

const who = (message: MessageData): string => message.fromNumber ?? message.from;

const described = (event: DeviceEvent): string => {
  switch (event.type) {
    case 'connection.open':
      return event.data.phoneNumber;
    case 'connection.closed':
      return `${event.data.reason}${event.data.willReconnect ? ', reconnecting' : ''}`;
    case 'connection.auth':
      return event.data.pairingCode === null ? 'a QR is ready' : `pairing code ${event.data.pairingCode}`;
    case 'connection.timeout':
      return '';
    case 'connection.logout':
      return event.data.reason;
    case 'message.received':
      return `from ${who(event.data.message)}: ${event.data.message.type}${excerpt(event.data.message.text)}`;
    case 'message.sent':
      return `to ${event.data.message.chat}: ${event.data.message.type}${excerpt(event.data.message.text)}`;
    case 'message.updated':
      return `${event.data.messageId}: ${JSON.stringify(event.data.update)}`;
    case 'message.deleted':
      return event.data.messageId;
    case 'call':
      return `${event.data.status} from ${event.data.fromNumber ?? event.data.from}`;
    default:
      // A newer service may know more kinds than this command line.
      return '';
  }
};

export const summaryOf = (envelope: EventEnvelope): readonly Part[] => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract; unknown kinds end in the default
  const event = { type: envelope.type, data: envelope.data } as DeviceEvent;
  const text = described(event);
  const kind = paint(/^connection\.(?:closed|timeout|logout)$/.test(envelope.type) ? 'bad' : 'strong', envelope.type);
  return text === '' ? [kind] : [kind, ' '.repeat(Math.max(1, 19 - envelope.type.length)), text];
};
