/** Messages about other messages: edits, deletions, reactions, votes, responses, pins, and timers of chats. */
import type { Report, SessionChanges } from '../../domain/changes.ts';
import type { ContactChange } from '../../domain/chats/contact.ts';
import type { Me, Peek } from '../identity/people.ts';
import type { EventResponse, MessageUpdate, Vote } from '../../domain/event.ts';
import type { Annotation, Deed } from '../../domain/messages/annotation.ts';
import type { ChatTimers, Timer } from '../chats/timers.ts';
import { contentOf, type MessageContent, partsOf, withNumbers } from './content.ts';
import type { Action } from './parts/kind.ts';
import type { Budget } from './parts/limits.ts';
import type { Envelope } from './parts/envelope.ts';

export interface TranslationContext {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  readonly budget?: Budget;
  readonly timers?: Pick<ChatTimers, 'told'>;
  readonly pushNames?: { readonly told: (envelope: Envelope) => readonly ContactChange[] };
}

export type MessageChanges = Pick<
  SessionChanges,
  'keys' | 'messages' | 'messageChanges' | 'annotations' | 'facts' | 'contacts'
>;

const place = ({ chat, chatNumber, chatLid }: Envelope) => ({ chat, chatNumber, chatLid });

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

export const toldTimer = (envelope: Envelope, timer: Timer, { timers }: TranslationContext): MessageChanges => {
  const keys = timers?.told(envelope, timer) ?? [];
  return keys.length === 0 ? {} : { keys };
};

export const acted = (
  envelope: Envelope,
  action: Exclude<Action, { readonly kind: 'resent' }>,
  context: TranslationContext,
): MessageChanges => {
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
      return {};
  }
};
