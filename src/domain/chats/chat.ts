/** Chats as the account has them, and the changes that are written with what tells of them (docs/spec/chats.md). Times are ms since the epoch. */
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** The end of a mute; null: not muted. */
export type MutedUntil = number | 'always' | null;

export interface Chat {
  /** The phone JID of the other person when it is known, else the LID; the group's JID in a group. */
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  /** Subject of a group; of a person the name in the address book, else the one that the person shows. */
  readonly name: string | null;
  readonly isGroup: boolean;
  /** Messages that nobody has read on any device of the account; 1 at least in a chat that is marked as unread. */
  readonly unread: number;
  /** The newest message that is kept; null where there is none. */
  readonly lastMessage: MessageRecord | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: MutedUntil;
  /** The timer of disappearing messages; null: messages stay. */
  readonly expiresInSeconds: number | null;
}

/**
 * A change of a chat; what is absent stays. A chat that is not there yet is made. The store makes these changes by itself: new messages
 * (activity, unread), and `SessionChanges.appState` (archive, pin, mute).
 */
export interface ChatChange {
  /** Either address of a person, or a group: the store knows which of them are one chat. */
  readonly chat: Jid;
  readonly chatLid?: Jid | null;
  /** As history tells it; the subject of a group that is kept comes before it. */
  readonly name?: string | null;
  /** The last activity; it never goes back. */
  readonly at?: number;
  /** How many are unread; `marked`: one at least. Not where the chat was active after `until`, or after `at`. */
  readonly unread?: number | 'marked';
  readonly until?: number;
  /** Ids of messages that another device of the account has read: only what came after them stays unread. */
  readonly read?: readonly string[];
}

/** Type of the keys that hold the timers of chats with one person: `<seconds> <set at, in seconds>` under the LID, or the phone JID without one. */
export const timerKey = 'chat-timer';
