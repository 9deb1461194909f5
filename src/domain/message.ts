/** Messages as stored, and as the driver is asked to send them. */
import type { Jid } from './jid.ts';
import type { Unavailable } from './event.ts';
import type { MessageMedia, MessageParts, MessageType, Person } from './messages/parts.ts';

/** `action`: a sent edit, revoke, reaction or pin, stored so that it can be sent again; the log does not show it. */
export type MessageState = 'pending' | 'accepted' | 'delivered' | 'read' | 'failed' | 'action';

/** A sent or received message as stored. `content` is what the driver needs to send it again, download its media, or read it anew. */
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
  /** Only the parts it has. */
  readonly parts?: Partial<MessageParts> | undefined;
  /** Time of the latest edit; absent if there was none. */
  readonly editedAt?: number;
  /** The protocol's own bytes (a serialised message), opaque outside the driver. */
  readonly content: Uint8Array | null;
  /** Secret of a received message, under which edits and votes are sealed; absent if it has none. */
  readonly secret?: Uint8Array | null;
  /** Absent: false. */
  readonly viewOnce?: boolean;
  /** Why there is no content; absent or null if there is. */
  readonly unavailable?: Unavailable | null;
  /** From the phone's history: makes nothing unread. Default: false. */
  readonly historic?: boolean;
  readonly state: MessageState;
  /** Milliseconds since the epoch, per step; null if it has not happened. */
  readonly timestamp: number;
  readonly acceptedAt: number | null;
  readonly deliveredAt: number | null;
  readonly readAt: number | null;
  readonly failedAt: number | null;
  readonly deletedAt: number | null;
}

/** A change of a stored message by a receipt, an edit or a revoke. Steps never go back (read stays read). */
export interface MessageChange {
  readonly messageId: string;
  readonly chat: Jid;
  /** The step reached, and when (ms). */
  readonly step?: { readonly state: MessageState; readonly at: number };
  readonly text?: string;
  /** Parts replaced by an edit, with the text. */
  readonly parts?: Partial<MessageParts>;
  /** Time of the edit (ms). */
  readonly editedAt?: number;
  /** Content of a message stored without it (`unavailable`); ignored for any other. */
  readonly arrived?: MessageRecord;
  /** Content of a message stored as `unknown`, read anew; ignored for any other. */
  readonly reread?: MessageRecord;
  /** Replaces the stored content, for example if its media has a new path; ignored for a deleted message or one without content. */
  readonly content?: Uint8Array;
  /** Replaces the media, with `content`. */
  readonly media?: MessageMedia;
  readonly deletedAt?: number;
  /** The requesting person, if only the author may do it: ignored for a message known to be somebody else's. */
  readonly author?: Person;
}
