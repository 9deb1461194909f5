/** Actions on a stored message: edit, delete, react, pin and forward. All throw InvalidRequest. */
import { jidKind, type Recipient } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageAction, OutgoingContent } from '../../domain/messages/outgoing.ts';
import { checkDelete, checkEdit, checkForward, checkPin, checkReaction } from '../../domain/messages/rules.ts';

/** `now`: ms since the epoch. */
export type MakeAction<C extends OutgoingContent = OutgoingContent> = (original: MessageRecord, now: number) => C;

export const edit =
  (text: string): MakeAction<MessageAction> =>
  (original, now) => {
    checkEdit(original, text, now);
    return { kind: 'edit', original, text };
  };

export const deletion: MakeAction<MessageAction> = (original, now) => {
  checkDelete(original, now);
  return { kind: 'delete', original };
};

export const reaction =
  (emoji: string | null): MakeAction<MessageAction> =>
  (original) => {
    checkReaction(original, emoji);
    return { kind: 'reaction', original, reaction: emoji };
  };

export const pin =
  (seconds: number | null): MakeAction<MessageAction> =>
  (original) => {
    checkPin(original);
    return { kind: 'pin', original, seconds };
  };

export const forward: MakeAction = (original) => {
  checkForward(original);
  return { kind: 'forward', original };
};

export const chatOf = ({ chat, isGroup }: MessageRecord): Recipient => {
  if (isGroup) return { kind: 'group', jid: chat };
  return { kind: jidKind(chat) === 'lid' ? 'lid' : 'phone', jid: chat };
};
