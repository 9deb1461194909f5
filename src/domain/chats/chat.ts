/** Chats and their changes (docs/spec/chats.md). Times are ms since the epoch. */
import type { Jid } from '../jid.ts';
import type { MutedUntil } from './chat-event.ts';
import type { MessageRecord } from '../message.ts';

export interface Chat {
  /** The person's phone JID if known, else the LID; or the group's JID. */
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly username: string | null;
  /** A group's subject; for a person the name in the address book, else their own. */
  readonly name: string | null;
  readonly isGroup: boolean;
  /** Unread on all devices of the account; at least 1 if marked as unread. */
  readonly unread: number;
  readonly lastMessage: MessageRecord | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: MutedUntil;
  readonly expiresInSeconds: number | null;
  readonly labels: readonly string[];
}

/** Absent fields stay; creates the chat if necessary. The store applies messages and `SessionChanges.appState` by itself. */
export interface ChatChange {
  /** Either address of a person, or a group. */
  readonly chat: Jid;
  readonly chatLid?: Jid | null;
  readonly name?: string | null;
  /** Last activity; never goes back. */
  readonly at?: number;
  /** `marked`: at least one. Ignored if the chat was active after `until`, or after `at`. */
  readonly unread?: number | 'marked';
  readonly until?: number;
  /** Ids of messages read on another device of the account; only later ones stay unread. */
  readonly read?: readonly string[];
}

/** A chat that was cleared or deleted on a device of the account: its messages up to `until` are gone. */
export interface ChatClearing {
  readonly chat: Jid;
  readonly chatLid: Jid | null;
  readonly until: number;
  readonly keepsStarred: boolean;
  /** The chat itself is deleted, too, unless it has later messages. */
  readonly isDeleted: boolean;
}

/** Type of the keys with timers of 1:1 chats: `<seconds> <set at, in seconds>` under the LID, or the phone JID if there is none. */
export const timerKey = 'chat-timer';
