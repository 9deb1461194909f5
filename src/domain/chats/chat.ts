/** Changes of chats, written with what tells of them (docs/spec/chats.md). Times are ms since the epoch. */
import type { Jid } from '../jid.ts';

/**
 * A change of a chat; what is absent stays. A chat that is not there yet is made. The store makes these changes by itself: new messages
 * (activity, unread), and `SessionChanges.appState` (archive, pin, mute).
 */
export interface ChatChange {
  /** Either address of a person, or a group: the store knows which of them are one chat. */
  readonly chat: Jid;
  readonly chatLid?: Jid | null;
  /** Subject of a group, or the name that history tells. */
  readonly name?: string | null;
  /** The last activity; it never goes back. */
  readonly at?: number;
  /** How many are unread. With `at`, only unless the chat was active after it. */
  readonly unread?: number;
  /** Ids of messages that another device of the account has read: only what came after them stays unread. */
  readonly read?: readonly string[];
  /** Timer of a group; that of a person is kept as `timerKey`. */
  readonly expiresInSeconds?: number | null;
}
