/** Messages as they are kept, and as the driver is asked to send them. */
import type { Jid } from './jid.ts';
import type { Unavailable } from './event.ts';
import type { MessageMedia, MessageParts, MessageType, Person } from './messages/parts.ts';

/** `action`: an edit, a revoke, a reaction or a pin that was sent, kept so that it can be sent again; the log does not show it. */
export type MessageState = 'pending' | 'accepted' | 'delivered' | 'read' | 'failed' | 'action';

/** A message sent or received, as stored. `content` is what the driver needs to send it again, to fetch its media, or to read it anew. */
export interface MessageRecord {
  readonly id: string;
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly direction: 'in' | 'out';
  readonly from: Jid;
  readonly fromNumber: string | null;
  readonly fromLid: Jid | null;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MessageMedia | null;
  /** The members alone that it has. */
  readonly parts?: Partial<MessageParts> | undefined;
  /** When the newest edit was made; absent where there was none. */
  readonly editedAt?: number;
  /** The protocol's own bytes (a serialised message of the driver); opaque to everybody else. */
  readonly content: Uint8Array | null;
  /** Secret of a received message, under which edits of it and votes on it are sealed; absent if it has none. */
  readonly secret?: Uint8Array | null;
  /** Absent: false. */
  readonly viewOnce?: boolean;
  /** Why there is no content; absent or null where there is. */
  readonly unavailable?: Unavailable | null;
  /** Absent: false. From the phone's history: it makes nothing unread. */
  readonly historic?: boolean;
  readonly state: MessageState;
  /** Milliseconds since the epoch, per step; null where it has not happened. */
  readonly timestamp: number;
  readonly acceptedAt: number | null;
  readonly deliveredAt: number | null;
  readonly readAt: number | null;
  readonly failedAt: number | null;
  readonly deletedAt: number | null;
}

/** A change by a receipt, an edit or a revoke to a stored message; steps never go back (read stays read). */
export interface MessageChange {
  readonly messageId: string;
  readonly chat: Jid;
  /** The step reached, and when (ms). */
  readonly step?: { readonly state: MessageState; readonly at: number };
  readonly text?: string;
  /** Members that an edit replaces, with the text. */
  readonly parts?: Partial<MessageParts>;
  /** When the text was edited (ms). */
  readonly editedAt?: number;
  /** The content of a message that was stored without it (`unavailable`); of any other nothing is changed. */
  readonly arrived?: MessageRecord;
  /** The content of a message that was stored as `unknown`, read anew; of any other nothing is changed. */
  readonly reread?: MessageRecord;
  /** Replaces the stored content, as when its media has another path; of a deleted message, or one without content, nothing is changed. */
  readonly content?: Uint8Array;
  /** Replaces the media, with `content`. */
  readonly media?: MessageMedia;
  readonly deletedAt?: number;
  /** The person who asks for it, where only the message's author may: a message known to be somebody else's is not changed. */
  readonly author?: Person;
}
