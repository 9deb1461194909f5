/** The events of facts: what is reported, in which order it is posted, and what makes a repeated report the same event. */
import type { DeviceEvent, MessageData, MessageUpdate } from '../../domain/event.ts';
import type { Fact, NewEvent, Receipt, Report } from '../../domain/changes.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { noParts } from '../../domain/messages/parts.ts';
import { statusJid } from '../../domain/messages/statuses.ts';

/** A literal is several times as fast as a spread, and this runs for each message. */
const messageDataOf = (record: MessageRecord): MessageData => {
  const parts = record.parts === undefined ? noParts : { ...noParts, ...record.parts };
  const { fromUsername = null } = record;
  const data = {
    id: record.id,
    chat: record.chat,
    chatNumber: record.chatNumber,
    chatLid: record.chatLid,
    from: record.from,
    fromNumber: record.fromNumber,
    fromLid: record.fromLid,
    pushName: record.pushName,
    isGroup: record.isGroup,
    timestamp: record.timestamp,
    type: record.type,
    text: record.text,
    quotedMessageId: record.quotedMessageId,
    media: record.media,
    quoted: parts.quoted,
    mentions: parts.mentions,
    mentionAll: parts.mentionAll,
    forwarded: parts.forwarded,
    expiresInSeconds: parts.expiresInSeconds,
    location: parts.location,
    contacts: parts.contacts,
    poll: parts.poll,
    selection: parts.selection,
    referral: parts.referral,
    link: parts.link,
    event: parts.event,
    groupInvite: parts.groupInvite,
    order: parts.order,
    product: parts.product,
    album: parts.album,
    hdOf: parts.hdOf,
    viewOnce: record.viewOnce ?? false,
    unavailable: record.unavailable ?? null,
  };
  return fromUsername === null ? data : { ...data, fromUsername };
};

/** The chat, or `connection` for events of the device. */
const orderKeyOf = ({ type, data }: DeviceEvent): string => {
  if ('channel' in data) return data.channel;
  if ('group' in data) return data.group;
  if ('chat' in data) return data.chat ?? 'history';
  if ('message' in data) return data.message.chat;
  if ('callId' in data) return data.from;
  if (type === 'contact.updated') return data.jid;
  if ('label' in data) return 'labels';
  if ('status' in data || 'statusId' in data) return statusJid;
  return type === 'device.created' || type === 'device.deleted' ? 'device' : 'connection';
};

type Key = readonly (string | number | null)[] | null;

const names = { text: 'edit', media: 'hd', votes: 'vote', pinned: 'pin', expiresInSeconds: 'timer' } as const;

const updateKey = (messageId: string, update: MessageUpdate, { id = null, author }: Report): Key => {
  if ('labels' in update) return null;
  if ('message' in update) return [messageId, 'content'];
  if ('order' in update) return [messageId, 'order'];
  const named = Object.entries(names).find(([member]) => member in update);
  const what = named?.[1] ?? ('reaction' in update ? 'reaction' : 'response');
  const by = 'from' in update ? update.from?.jid : author?.jid;
  return [messageId, what, by ?? null, id];
};

/** Distinguishes reports of one kind and place; null: the network never repeats the report. */
const keyOf = (report: Report): Key => {
  const { event, at, id = null } = report;
  switch (event.type) {
    case 'message.received':
      return [event.data.message.from, event.data.message.id];
    case 'message.sent':
      return [event.data.message.id];
    case 'message.updated':
      return updateKey(event.data.messageId, event.data.update, report);
    case 'message.deleted':
      return [event.data.messageId];
    case 'call':
      return [event.data.callId, event.data.status];
    case 'chat.cleared':
    case 'chat.deleted':
      return [at];
    case 'status.received':
      return [event.data.status.from, event.data.status.id];
    case 'status.deleted':
      return [event.data.statusId];
    case 'status.viewed': {
      const { statusId, by, reaction } = event.data;
      return [statusId, by.lid ?? by.jid, ...(reaction === undefined ? [] : ['reaction', id])];
    }
    case 'channel.message':
      return [event.data.message.serverId, id];
    case 'channel.message.updated':
      return [event.data.serverId, id];
    case 'channel.updated':
      return [id ?? at];
    default:
      return null;
  }
};

const dedupeKeyOf = (report: Report, orderKey: string): string | undefined => {
  const { event, id } = report;
  if ('group' in event.data) return id ? `${event.type}/${orderKey}/${id}` : undefined;
  if (event.type === 'message.updated' && 'status' in event.data.update)
    return `message.updated ${event.data.messageId} not sent`;
  const key = keyOf(report);
  return key === null ? undefined : [event.type, orderKey, ...key].join(' ');
};

/** The redelivered stanza may have the chat's other address, and another chat a message of this id. */
const receipted = ({ messageId, status, place, reader, step }: Receipt, chat: Jid): NewEvent => {
  const update = reader === null ? { status } : { status, from: reader };
  const dedupeKey = ['message.updated', chat, messageId, reader?.lid ?? reader?.jid ?? '', status].join(' ');
  const event = { type: 'message.updated', data: { messageId, ...place, update } } as const;
  return { event, at: step.at, orderKey: place.chat, dedupeKey, step: { messageId, chat, step } };
};

const reportOf = (fact: Exclude<Fact, { readonly receipt: Receipt }>): Report & Pick<NewEvent, 'step'> => {
  if ('event' in fact) return fact;
  if ('completed' in fact) {
    const { id: messageId, chat, chatNumber, chatLid } = fact.completed;
    const data = { messageId, chat, chatNumber, chatLid, update: { message: messageDataOf(fact.completed) } };
    return { event: { type: 'message.updated', data }, at: fact.at };
  }
  if ('accepted' in fact) {
    const { id: messageId, chat, acceptedAt, viewOnce } = fact.accepted;
    const step = { state: 'accepted', at: acceptedAt! } as const;
    const data = { message: messageDataOf(fact.accepted), source: 'api' } as const;
    const change = { messageId, chat, step, ...(viewOnce && { isErased: true as const }) };
    return { event: { type: 'message.sent', data }, at: step.at, step: change };
  }
  const message = messageDataOf(fact.arrived);
  const at = fact.arrived.timestamp;
  return fact.arrived.direction === 'in'
    ? { event: { type: 'message.received', data: { message } }, at }
    : { event: { type: 'message.sent', data: { message, source: 'phone' } }, at };
};

export const eventOf = (fact: Fact): NewEvent => {
  if ('receipt' in fact) return receipted(fact.receipt, fact.chat);
  const report = reportOf(fact);
  const { event, at, author, step } = report;
  const orderKey = orderKeyOf(event);
  return { event, at, orderKey, dedupeKey: dedupeKeyOf(report, orderKey), author, step };
};
