/** One line of text for an event. */
import type { DeviceEvent, EventEnvelope, MessageData, MessageUpdate } from '../../domain/event.ts';
import { type Part, paint } from './paint.ts';

const excerptLength = 60;

const excerpt = (text: string | null): string => {
  if (text === null) return '';
  const line = text.replace(/\s+/g, ' ');
  return ` "${line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line}"`;
};

const who = (message: MessageData): string => message.fromNumber ?? message.from;

/** Older services send no parts. */
const said = (message: Partial<MessageData> & Pick<MessageData, 'type' | 'text'>): string => {
  const { type, text, location, contacts, poll, groupInvite } = message;
  const place = location ? ` at ${location.latitude ?? '?'}, ${location.longitude ?? '?'}` : '';
  const people = (contacts ?? []).map(({ name, numbers }) => name ?? numbers[0] ?? '').join(', ');
  const more = [poll?.options.join(' / '), groupInvite?.subject, text === people ? '' : people].find(Boolean);
  return `${type}${excerpt(text)}${place}${more ? ` (${excerpt(more).slice(2, -1)})` : ''}`;
};

const changed = (update: MessageUpdate): string => {
  if ('status' in update && update.from === undefined) return update.status;
  if (!('from' in update) || update.from === undefined) return JSON.stringify(update);
  const by = update.from.number ?? update.from.jid;
  if ('reaction' in update)
    return `${by} ${update.reaction === null ? 'took a reaction back' : `reacted ${update.reaction}`}`;
  if ('votes' in update) return `${by} voted${excerpt(update.votes.map(({ option }) => option ?? '?').join(', '))}`;
  if ('response' in update) return `${by} answered ${update.response}`;
  if ('pinned' in update) return `${by} ${update.pinned ? 'pinned' : 'unpinned'} it`;
  if ('status' in update) return `${update.status} by ${by}`;
  return JSON.stringify(update);
};

const ofChannel = (event: Extract<DeviceEvent, { type: `channel.${string}` }>): string => {
  const { channel } = event.data;
  if (event.type === 'channel.updated') return `${channel}: ${JSON.stringify(event.data.change)}`;
  if (event.type === 'channel.message.updated')
    return `${event.data.serverId} in ${channel}: ${JSON.stringify(event.data.update)}`;
  const { type, text } = event.data.message;
  return `${channel}: ${said({ type, text })}`;
};

const described = (event: DeviceEvent): string => {
  switch (event.type) {
    case 'connection.open':
      return event.data.phoneNumber;
    case 'connection.closed':
      return `${event.data.reason}${event.data.willReconnect ? ', reconnecting' : ''}`;
    case 'connection.auth':
      return event.data.pairingCode === null ? 'a QR is ready' : `pairing code ${event.data.pairingCode}`;
    case 'connection.logout':
      return event.data.reason;
    case 'message.received':
      return `from ${who(event.data.message)}: ${said(event.data.message)}`;
    case 'message.sent':
      return `to ${event.data.message.chatNumber ?? event.data.message.chat}: ${said(event.data.message)}`;
    case 'message.updated':
      return `${event.data.messageId}: ${changed(event.data.update)}`;
    case 'message.deleted':
      return event.data.messageId;
    case 'call':
      return `${event.data.status} from ${event.data.fromNumber ?? event.data.from}`;
    case 'chat.presence':
      return `${event.data.person.number ?? event.data.person.jid}: ${event.data.state}`;
    case 'account.limited':
      return event.data.reason ?? 'nothing is restricted any more';
    case 'group.updated':
      return `${event.data.subject ?? event.data.group}: ${JSON.stringify(event.data.change)}`;
    case 'group.joined':
    case 'group.left':
      return `${event.data.subject ?? event.data.group}${event.data.reason === null ? '' : ` (${event.data.reason})`}`;
    case 'chat.settled':
      return `${event.data.messages.length} messages of ${event.data.chatNumber ?? event.data.chat}`;
    case 'chat.updated':
      return `${event.data.chatNumber ?? event.data.chat}: ${JSON.stringify(event.data.change)}`;
    case 'chat.cleared':
    case 'chat.deleted':
      return event.data.chatNumber ?? event.data.chat;
    case 'contact.updated':
      return `${event.data.number ?? event.data.jid}: ${JSON.stringify(event.data.change)}`;
    case 'label.updated':
      return `${event.data.label.name}${event.data.deleted ? ' (deleted)' : ''}`;
    case 'status.received': {
      const { from, fromNumber, type, text } = event.data.status;
      return `from ${fromNumber ?? from}: ${said({ type, text })}`;
    }
    case 'status.deleted':
    case 'status.viewed':
      return `${event.data.statusId} by ${event.data.by.number ?? event.data.by.jid}`;
    case 'channel.message':
    case 'channel.message.updated':
    case 'channel.updated':
      return ofChannel(event);
    case 'device.created':
    case 'device.deleted':
      return event.data.name;
    case 'history.loaded':
      return `${event.data.count} older messages${event.data.chat === null ? '' : ` of ${event.data.chat}`}`;
    default:
      // A kind that only newer services have.
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
