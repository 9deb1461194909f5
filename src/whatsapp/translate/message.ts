/** A decrypted message stanza as records, changes and events, to be committed with the ratchet. */
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { NewEvent, Unavailable } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { secretIn } from '../receive/message-secret.ts';
import { type Content, contentOf } from './content.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import type { Me, Peek } from './people.ts';
import { mediaOf, type MediaUrl, messageDataOf, newEvent, receivedEvent, sentEvent } from './record.ts';
import { isViewOnce } from './unwrap.ts';

export interface TranslationContext {
  readonly me: Me;
  readonly peek: Peek;
  readonly mediaUrl: MediaUrl;
  readonly now: number;
}

export type MessageChanges = Pick<SessionChanges, 'messages' | 'messageChanges' | 'events'>;

const nothing: MessageChanges = {};

const recordOf = (
  envelope: Envelope,
  content: Extract<Content, { kind: 'message' }>,
  message: proto.IMessage,
  mediaUrl: MediaUrl,
): MessageRecord => {
  const { media } = content;
  const viewOnce = isViewOnce(message);
  // View-once media is never served, so its content is not kept.
  const keepsContent = media !== null && !viewOnce;
  return {
    id: envelope.id,
    chat: envelope.chat,
    chatNumber: envelope.chatNumber,
    chatLid: envelope.chatLid,
    direction: envelope.fromMe ? 'out' : 'in',
    from: envelope.from.jid,
    fromNumber: envelope.from.number,
    fromLid: envelope.from.lid,
    pushName: envelope.pushName,
    isGroup: envelope.isGroup,
    type: content.type,
    text: content.text,
    quotedMessageId: content.quotedMessageId,
    media: media === null ? null : mediaOf(media, mediaUrl(envelope.id)),
    // Only media is fetched again later; the phone answers for what it sent itself.
    content: keepsContent ? proto.Message.encode(message).finish() : null,
    secret: keepsContent ? null : secretIn(message),
    viewOnce,
    state: envelope.fromMe ? 'accepted' : 'delivered',
    timestamp: envelope.at,
    acceptedAt: envelope.fromMe ? envelope.at : null,
    deliveredAt: envelope.fromMe ? null : envelope.at,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
};

/** A message that came without its content, for the reason given. */
export const translateUnavailable = (
  stanza: BinaryNode,
  unavailable: Unavailable,
  { me, peek, now, mediaUrl }: TranslationContext,
): MessageChanges => {
  const envelope = envelopeOf(stanza, me, peek, now);
  if (envelope === null) return nothing;
  const content = { kind: 'message', type: 'unknown', text: null, quotedMessageId: null, media: null } as const;
  const record = recordOf(envelope, content, {}, mediaUrl);
  return newMessage(envelope, { ...record, unavailable, viewOnce: unavailable === 'viewOnce' });
};

/** Tells the content of a message that was told without it: under the same id, and not as a second message. */
export const arrivedEvent = (record: MessageRecord, at: number): NewEvent => {
  const { id: messageId, chat, chatNumber, chatLid } = record;
  const update = { message: messageDataOf(record) };
  const data = { messageId, chat, chatNumber, chatLid, update };
  return newEvent({ type: 'message.updated', data }, at, chat, messageId, 'content');
};

const place = ({ chat, chatNumber, chatLid }: Envelope) => ({ chat, chatNumber, chatLid });

const newMessage = (envelope: Envelope, record: MessageRecord): MessageChanges => ({
  messages: [record],
  events: [envelope.fromMe ? sentEvent(record, 'phone', envelope.at) : receivedEvent(record)],
});

export const edited = (envelope: Envelope, content: Extract<Content, { kind: 'edit' }>): MessageChanges => {
  const { messageId, text } = content;
  return {
    messageChanges: text === null ? [] : [{ messageId, chat: envelope.chat, text, author: envelope.from }],
    events: [
      {
        ...newEvent(
          { type: 'message.updated', data: { messageId, ...place(envelope), update: { text } } },
          envelope.at,
          envelope.chat,
          messageId,
          'edit',
          envelope.from.jid,
          envelope.id,
        ),
        claim: { messageId, chat: envelope.chat, author: envelope.from },
      },
    ],
  };
};

/** In a group its administrators may revoke what others wrote. */
const revoked = (envelope: Envelope, messageId: string): MessageChanges => {
  const { chat, isGroup, from, at } = envelope;
  const event = newEvent(
    { type: 'message.deleted', data: { messageId, ...place(envelope), by: from } },
    at,
    chat,
    messageId,
  );
  return {
    messageChanges: [{ messageId, chat, deletedAt: at, ...(isGroup ? {} : { author: from }) }],
    events: [isGroup ? event : { ...event, claim: { messageId, chat, author: from } }],
  };
};

export const reacted = (envelope: Envelope, content: Extract<Content, { kind: 'reaction' }>): MessageChanges => ({
  events: [
    newEvent(
      {
        type: 'message.updated',
        data: {
          messageId: content.messageId,
          ...place(envelope),
          update: { reaction: content.reaction, from: envelope.from },
        },
      },
      envelope.at,
      envelope.chat,
      content.messageId,
      'reaction',
      envelope.from.jid,
      envelope.id,
    ),
  ],
});

/** The stanza that a message handed over by the phone would have come in. */
export const stanzaOfInfo = (info: proto.IWebMessageInfo, me: Me): BinaryNode => {
  const { remoteJid, fromMe, id, participant } = info.key ?? {};
  const attrs: BinaryNode['attrs'] = { id: id ?? '', t: String(info.messageTimestamp ?? '') };
  if (info.pushName) attrs.notify = info.pushName;
  const chat = remoteJid ?? '';
  if (chat.endsWith('@g.us')) {
    attrs.from = chat;
    attrs.participant = fromMe ? me.phone : (participant ?? info.participant ?? '');
  } else if (fromMe) {
    attrs.from = me.phone;
    attrs.recipient = chat;
  } else {
    attrs.from = chat;
  }
  return { tag: 'message', attrs };
};

const join = (parts: readonly MessageChanges[]): MessageChanges => ({
  messages: parts.flatMap((part) => part.messages ?? []),
  messageChanges: parts.flatMap((part) => part.messageChanges ?? []),
  events: parts.flatMap((part) => part.events ?? []),
});

/** The changes that one decrypted message makes. `message` is as decoded, wrappers included. */
export const translateMessage = (
  stanza: BinaryNode,
  message: proto.IMessage,
  context: TranslationContext,
): MessageChanges => {
  const content = contentOf(message);
  if (content.kind === 'none') return nothing;
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  if (envelope === null) return nothing;
  switch (content.kind) {
    case 'message':
      return newMessage(envelope, recordOf(envelope, content, message, context.mediaUrl));
    case 'edit':
      return edited(envelope, content);
    case 'revoke':
      return revoked(envelope, content.messageId);
    case 'reaction':
      return reacted(envelope, content);
    case 'encryptedUpdate':
      // Needs the message which it is about: `updates.ts`.
      return nothing;
    case 'resent':
      // Only the own phone may hand over messages of others.
      if (!envelope.fromMe) return nothing;
      return join(
        content.messages
          .filter((info) => info.message && info.key?.id)
          .map((info) => translateMessage(stanzaOfInfo(info, context.me), info.message ?? {}, context)),
      );
  }
};
