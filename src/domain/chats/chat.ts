/** Chats and their changes (docs/spec/chats.md). Times are ms since the epoch. */
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** End of a mute; null: not muted. */
export type MutedUntil = number | 'always' | null;

export interface Chat {
  /** Phone JID of the other person if known, else the LID; in a group its JID. */
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  /** Subject of a group; for a person the name in the address book, else their own. */
  readonly name: string | null;
  readonly isGroup: boolean;
  /** Messages unread on all devices of the account; at least 1 if the chat is marked as unread. */
  readonly unread: number;
  readonly lastMessage: MessageRecord | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: MutedUntil;
  /** Timer of disappearing messages; null: off. */
  readonly expiresInSeconds: number | null;
}

/**
 * A change of a chat; absent fields stay. Creates the chat if necessary. The store itself applies new messages (activity, unread) and
 * `SessionChanges.appState` (archive, pin, mute).
 */
export interface ChatChange {
  /** Either address of a person, or a group; the store maps both addresses to one chat. */
  readonly chat: Jid;
  readonly chatLid?: Jid | null;
  /** From history; the stored subject of a group takes precedence. */
  readonly name?: string | null;
  /** Last activity; it never goes back. */
  readonly at?: number;
  /** Unread count; `marked`: at least one. Ignored if the chat was active after `until`, or after `at`. */
  readonly unread?: number | 'marked';
  readonly until?: number;
  /** Ids of messages read on another device of the account; only later ones stay unread. */
  readonly read?: readonly string[];
}

/** Type of the keys with timers of 1:1 chats: `<seconds> <set at, in seconds>` under the LID, or the phone JID if there is none. */
export const timerKey = 'chat-timer';
