/** A decrypted message stanza as records, changes and facts, to be committed with the ratchet. */
import type { ContactChange } from '../../domain/chats/contact.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import { joinChanges, type SessionChanges, type Report } from '../../domain/changes.ts';
import type { EventResponse, MessageUpdate, Unavailable, Vote } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Annotation, Deed } from '../../domain/messages/annotation.ts';
import type { ChatTimers, Timer } from '../chats/timers.ts';
import type { Action } from './decode.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import { type MessageContent, contentOf, unknown, partsOf } from './content.ts';
import { type Envelope, envelopeOf } from './parts/envelope.ts';
import { countOrNull } from './parts/kind.ts';
import { recordOf, withNumbers } from './record.ts';
import type { Me, Peek } from '../identity/people.ts';

const maxKnown = 5_000;

/** Names chosen by people, repeated by each of their messages; written once per connection. */
export class PushNames {
  readonly #known = boundedCache<string>(maxKnown);

  /** Empty if the name is known, or the account's own. */
  told({
    from: { jid, lid },
    fromMe,
    pushName,
  }: Pick<Envelope, 'from' | 'fromMe' | 'pushName'>): readonly ContactChange[] {
    if (pushName === null || fromMe || this.#known.get(jid) === pushName) return [];
    this.#known.set(jid, pushName);
    return [{ jid, lid, pushName }];
  }
}

export interface TranslationContext {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  readonly budget?: Budget;
  readonly timers?: Pick<ChatTimers, 'told'>;
  readonly pushNames?: Pick<PushNames, 'told'>;
}

export type MessageChanges = Pick<
  SessionChanges,
  'keys' | 'messages' | 'messageChanges' | 'annotations' | 'facts' | 'contacts'
>;

const nothing: MessageChanges = {};

export const unread = (
  envelope: Envelope,
  message: proto.IMessage,
  { peek }: TranslationContext,
  bytes?: Uint8Array,
  about: string | null = null,
): MessageChanges => {
  const record = recordOf(envelope, { ...unknown, quotedMessageId: about }, message, peek, bytes);
  // However large, as there is nothing else of it.
  return newMessage(record.viewOnce ? record : { ...record, content: bytes ?? record.content });
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

export const translateUnavailable = (
  stanza: BinaryNode,
  unavailable: Unavailable,
  context: TranslationContext,
): MessageChanges => {
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  if (envelope === null) return nothing;
  const record = recordOf(envelope, unknown, {}, context.peek);
  return newMessage({ ...record, content: null, unavailable, viewOnce: unavailable === 'viewOnce' });
};

const place = ({ chat, chatNumber, chatLid }: Envelope) => ({ chat, chatNumber, chatLid });

const newMessage = (record: MessageRecord): MessageChanges => ({ messages: [record], facts: [{ arrived: record }] });

const updated = (envelope: Envelope, messageId: string, update: MessageUpdate): Report => {
  const { at, id } = envelope;
  return { event: { type: 'message.updated', data: { messageId, ...place(envelope), update } }, at, id };
};

export const edited = (
  envelope: Envelope,
  messageId: string,
  content: MessageContent | null,
  { peek }: Pick<TranslationContext, 'peek'>,
): MessageChanges => {
  const read = (content && partsOf(content, peek)) ?? {};
  const { poll = null, event = null, mentions = [], mentionAll = false, link = null } = read;
  const text = withNumbers(content?.text ?? null, mentions);
  const { chat, from: author, at: editedAt } = envelope;
  const parts = {
    mentions,
    mentionAll,
    link,
    ...(poll === null ? {} : { poll }),
    ...(event === null ? {} : { event }),
  };
  const update = { text, ...(poll === null ? {} : { poll }), ...(event === null ? {} : { event }) };
  return {
    messageChanges: text === null ? [] : [{ messageId, chat, author, text, parts, editedAt }],
    facts: [{ ...updated(envelope, messageId, update), author }],
  };
};

const revoked = (envelope: Envelope, messageId: string): MessageChanges => {
  const { chat, isGroup, from, at } = envelope;
  const event = { type: 'message.deleted', data: { messageId, ...place(envelope), by: from } } as const;
  return {
    messageChanges: [{ messageId, chat, deletedAt: at, ...(isGroup ? {} : { author: from }) }],
    facts: [{ event, at, author: isGroup ? undefined : from }],
  };
};

const annotated = ({ chat, chatLid, from, at }: Envelope, messageId: string, deed: Deed): readonly Annotation[] => [
  { messageId, chat, chatLid, from, at, deed },
];

export const reacted = (envelope: Envelope, messageId: string, reaction: string | null): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'reaction', reaction }),
  facts: [updated(envelope, messageId, { reaction, from: envelope.from })],
});

export const voted = (envelope: Envelope, messageId: string, votes: readonly Vote[]): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'vote', votes }),
  facts: [updated(envelope, messageId, { votes, from: envelope.from })],
});

export const responded = (
  envelope: Envelope,
  messageId: string,
  answer: { readonly response: EventResponse; readonly guests: number },
): MessageChanges => ({
  annotations: annotated(envelope, messageId, { kind: 'response', ...answer }),
  facts: [updated(envelope, messageId, { ...answer, from: envelope.from })],
});

const pinned = (envelope: Envelope, { messageId, pinned: isPinned }: Extract<Action, { kind: 'pin' }>) => ({
  facts: [updated(envelope, messageId, { pinned: isPinned, from: envelope.from })],
});

/** A change of the chat's timer is a message of its own. */
const timed = (
  envelope: Envelope,
  { expiresInSeconds, setAt }: Extract<Action, { kind: 'timer' }>,
  context: TranslationContext,
): MessageChanges => ({
  ...toldTimer(envelope, { seconds: expiresInSeconds ?? 0, setAt: setAt ?? Math.floor(envelope.at / 1_000) }, context),
  facts: [updated(envelope, envelope.id, { expiresInSeconds, from: envelope.from })],
});

const toldTimer = (envelope: Envelope, timer: Timer, { timers }: TranslationContext): MessageChanges => {
  const keys = timers?.told(envelope, timer) ?? [];
  return keys.length === 0 ? nothing : { keys };
};

const timerIn = ({ context }: MessageContent): Timer | undefined => {
  const { expiration, ephemeralSettingTimestamp } = context ?? {};
  if (!expiration && !ephemeralSettingTimestamp) return undefined;
  return { seconds: expiration ?? 0, setAt: countOrNull(ephemeralSettingTimestamp) ?? 0 };
};

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
      // Requires the other message: `updates.ts`.
      return nothing;
    case 'resent':
      // Only the own phone may resend messages of others.
      if (!envelope.fromMe) return nothing;
      return joinChanges(
        action.messages
          .filter((info) => info.message && info.key?.id)
          .map((info) => translateMessage(stanzaOfInfo(info, context.me), info.message ?? {}, context)),
      );
  }
};

export const said = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  // A group's timer is in its metadata.
  const timer = envelope.isGroup ? undefined : timerIn(content);
  // First, as it may take too long: then nothing is reported.
  const changes = newMessage(recordOf(envelope, content, message, context.peek, bytes));
  const told = timer === undefined ? nothing : toldTimer(envelope, timer, context);
  const contacts = context.pushNames?.told(envelope) ?? [];
  return {
    ...changes,
    ...told,
    ...(contacts.length > 0 && { contacts }),
  };
};

/** `message` is decoded, with wrappers; `bytes` as encrypted. What exceeds its budget is not read; messages resent together share one. */
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
