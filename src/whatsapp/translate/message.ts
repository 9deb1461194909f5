/** A decrypted message stanza as records, changes and events, to be committed with the ratchet. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { proto } from '../engine/proto.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import type { EventResponse, MessageUpdate, NewEvent, Unavailable, Vote } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Annotation, Deed } from '../../domain/messages/annotation.ts';
import type { PushNames } from '../chats/push-names.ts';
import type { ChatTimers, Timer } from '../chats/timers.ts';
import type { Action } from './action.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import { type MessageContent, contentOf, unknown, partsOf } from './content.ts';
import { type Envelope, envelopeOf } from './parts/envelope.ts';
import { countOrNull } from './parts/kind.ts';
import { recordOf, messageDataOf, newEvent, receivedEvent, sentEvent, withNumbers } from './record.ts';
import type { Me, Peek } from '../identity/people.ts';

export interface TranslationContext {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  /** Time to read the message in; no limit where it is left out. */
  readonly budget?: Budget;
  /** Keeps the timers that messages tell of. */
  readonly timers?: Pick<ChatTimers, 'told'>;
  /** Keeps the names that their writers show. */
  readonly pushNames?: Pick<PushNames, 'told'>;
}

export type MessageChanges = Pick<
  SessionChanges,
  'keys' | 'messages' | 'messageChanges' | 'annotations' | 'events' | 'contacts'
>;

const nothing: MessageChanges = {};

/** A message that is not read: told as one of unknown kind, and kept with its bytes. `about`: the message that it comments on. */
export const unread = (
  envelope: Envelope,
  message: proto.IMessage,
  { peek }: TranslationContext,
  bytes?: Uint8Array,
  about: string | null = null,
): MessageChanges => {
  const record = recordOf(envelope, { ...unknown, quotedMessageId: about }, message, peek, bytes);
  // However large: nothing else is there of it.
  return newMessage(envelope, record.viewOnce ? record : { ...record, content: bytes ?? record.content });
};

export const translateUnread = (
  stanza: BinaryNode,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  return envelope === null ? nothing : unread(envelope, message, context, bytes);
};

/** A message that came without its content, for the reason given. */
export const translateUnavailable = (
  stanza: BinaryNode,
  unavailable: Unavailable,
  context: TranslationContext,
): MessageChanges => {
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  if (envelope === null) return nothing;
  const record = recordOf(envelope, unknown, {}, context.peek);
  return newMessage(envelope, { ...record, content: null, unavailable, viewOnce: unavailable === 'viewOnce' });
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

/** An update of a message, told once for each message that makes one. */
const updated = (envelope: Envelope, messageId: string, update: MessageUpdate, what: string): NewEvent => {
  const { at, chat, from, id } = envelope;
  const data = { messageId, ...place(envelope), update };
  return newEvent({ type: 'message.updated', data }, at, chat, messageId, what, from.jid, id);
};

/** An edit replaces the text, and what belongs to it. */
export const edited = (
  envelope: Envelope,
  messageId: string,
  content: MessageContent | null,
  { peek }: Pick<TranslationContext, 'peek'>,
): MessageChanges => {
  const { poll = null, event = null, mentions = [], link = null } = (content && partsOf(content, peek)) ?? {};
  const text = withNumbers(content?.text ?? null, mentions);
  const of = { messageId, chat: envelope.chat, author: envelope.from };
  const parts = { mentions, link, ...(poll === null ? {} : { poll }), ...(event === null ? {} : { event }) };
  const update = { text, ...(poll === null ? {} : { poll }), ...(event === null ? {} : { event }) };
  return {
    messageChanges: text === null ? [] : [{ ...of, text, parts, editedAt: envelope.at }],
    events: [{ ...updated(envelope, messageId, update, 'edit'), claim: of }],
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

const annotated = ({ chat, chatLid, from, at }: Envelope, messageId: string, deed: Deed): readonly Annotation[] => [
  { messageId, chat, chatLid, from, at, deed },
];

export const reacted = (envelope: Envelope, messageId: string, reaction: string | null): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'reaction', reaction }),
  events: [updated(envelope, messageId, { reaction, from: envelope.from }, 'reaction')],
});

export const voted = (envelope: Envelope, messageId: string, votes: readonly Vote[]): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'vote', votes }),
  events: [updated(envelope, messageId, { votes, from: envelope.from }, 'vote')],
});

export const responded = (
  envelope: Envelope,
  messageId: string,
  answer: { readonly response: EventResponse; readonly guests: number },
): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'response', ...answer }),
  events: [updated(envelope, messageId, { ...answer, from: envelope.from }, 'response')],
});

const pinned = (envelope: Envelope, { messageId, pinned: isPinned }: Extract<Action, { kind: 'pin' }>) => ({
  events: [updated(envelope, messageId, { pinned: isPinned, from: envelope.from }, 'pin')],
});

/** The chat's timer: the notice of it is a message of its own, and no other is meant. */
const timed = (
  envelope: Envelope,
  { expiresInSeconds, setAt }: Extract<Action, { kind: 'timer' }>,
  context: TranslationContext,
): MessageChanges => ({
  ...toldTimer(envelope, { seconds: expiresInSeconds ?? 0, setAt: setAt ?? Math.floor(envelope.at / 1_000) }, context),
  events: [updated(envelope, envelope.id, { expiresInSeconds, from: envelope.from }, 'timer')],
});

const toldTimer = (envelope: Envelope, timer: Timer, { timers }: TranslationContext): MessageChanges => {
  const keys = timers?.told(envelope, timer) ?? [];
  return keys.length === 0 ? nothing : { keys };
};

/** The timer under which the message was sent; undefined where it tells nothing. */
const timerIn = ({ context }: MessageContent): Timer | undefined => {
  const { expiration, ephemeralSettingTimestamp } = context ?? {};
  if (!expiration && !ephemeralSettingTimestamp) return undefined;
  return { seconds: expiration ?? 0, setAt: countOrNull(ephemeralSettingTimestamp) ?? 0 };
};

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

const acted = (envelope: Envelope, action: Action, context: TranslationContext): MessageChanges => {
  switch (action.kind) {
    case 'edit': {
      const content = contentOf(action.message);
      return edited(envelope, action.messageId, content.kind === 'message' ? content : null, context);
    }
    case 'revoke':
      return revoked(envelope, action.messageId);
    case 'reaction':
      return reacted(envelope, action.messageId, action.reaction);
    case 'pin':
      return pinned(envelope, action);
    case 'timer':
      return timed(envelope, action, context);
    case 'encryptedUpdate':
      // Needs the message which it is about: `updates.ts`.
      return nothing;
    case 'resent':
      // Only the own phone may hand over messages of others.
      if (!envelope.fromMe) return nothing;
      return joinChanges(
        action.messages
          .filter((info) => info.message && info.key?.id)
          .map((info) => translateMessage(stanzaOfInfo(info, context.me), info.message ?? {}, context)),
      );
  }
};

/** The record and event of what somebody said. `bytes`: the message as it was encrypted. */
export const said = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  // A group's timer is in its metadata.
  const timer = envelope.isGroup ? undefined : timerIn(content);
  // First, as it may take too long: then nothing is told.
  const changes = newMessage(envelope, recordOf(envelope, content, message, context.peek, bytes));
  const told = timer === undefined ? nothing : toldTimer(envelope, timer, context);
  const contacts = context.pushNames?.told(envelope) ?? [];
  return {
    ...changes,
    ...told,
    ...(contacts.length > 0 && { contacts }),
  };
};

/**
 * The changes that one decrypted message makes. `message` is as decoded, wrappers included; `bytes` as it was encrypted. What does not fit into its
 * budget is not read; messages that were handed over together share one.
 */
export const translateMessage = (
  stanza: BinaryNode,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  // One run: for a long message each costs a thread.
  const translate = (): MessageChanges | (() => MessageChanges) => {
    const content = contentOf(message);
    if (content.kind === 'none') return nothing;
    const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
    if (envelope === null) return nothing;
    // Each of these messages is a run.
    if (content.kind === 'resent') return () => acted(envelope, content, context);
    return content.kind === 'message'
      ? said(envelope, content, message, context, bytes)
      : acted(envelope, content, context);
  };
  try {
    const changes = context.budget === undefined ? translate() : context.budget.run(translate);
    return typeof changes === 'function' ? changes() : changes;
  } catch (error) {
    if (error instanceof BudgetSpent) return translateUnread(stanza, message, context, bytes);
    throw error;
  }
};
