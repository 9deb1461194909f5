/** Messages as stored, and as the driver is asked to send them. */
import type { Jid } from './jid.ts';
import type { Unavailable } from './event.ts';
import type { MessageMedia, MessageParts, MessageType, Person } from './messages/parts.ts';

/** `action`: a sent edit, revoke, reaction or pin, stored to be resent; not in the log. */
export type MessageState = 'pending' | 'accepted' | 'delivered' | 'read' | 'failed' | 'action';

/** `content`: what the driver needs to resend it, download its media or re-read it. */
export interface MessageRecord {
  readonly id: string;
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly direction: 'in' | 'out';
  readonly from: Jid;
  readonly fromNumber: string | null;
  readonly fromLid: Jid | null;
  readonly fromUsername?: string | null;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MessageMedia | null;
  readonly parts?: Partial<MessageParts> | undefined;
  readonly editedAt?: number;
  /** Protocol bytes (a serialized message), opaque outside the driver. */
  readonly content: Uint8Array | null;
  /** Secret of a received message that seals edits and votes; absent if it has none. */
  readonly secret?: Uint8Array | null;
  readonly viewOnce?: boolean;
  readonly unavailable?: Unavailable | null;
  /** From the phone's history: makes nothing unread. */
  readonly historic?: boolean;
  readonly state: MessageState;
  readonly timestamp: number;
  readonly acceptedAt: number | null;
  readonly deliveredAt: number | null;
  readonly readAt: number | null;
  readonly failedAt: number | null;
  readonly deletedAt: number | null;
}

/** Made by a receipt, an edit or a revoke. Steps never go back. */
export interface MessageChange {
  readonly messageId: string;
  readonly chat: Jid;
  readonly step?: { readonly state: MessageState; readonly at: number };
  readonly text?: string;
  readonly parts?: Partial<MessageParts>;
  readonly editedAt?: number;
  /** Content of a message stored without it (`unavailable`); otherwise ignored. */
  readonly arrived?: MessageRecord;
  /** Content of a message stored as `unknown`, re-read; otherwise ignored. */
  readonly reread?: MessageRecord;
  /** Replaces the content, for example if its media has a new path; ignored for a deleted message or one without content. */
  readonly content?: Uint8Array;
  /** Drops the content of a view-once message that was sent. */
  readonly isErased?: true;
  readonly media?: MessageMedia;
  readonly deletedAt?: number;
  /** If only the author may do it: ignored for a message known to be somebody else's. */
  readonly author?: Person;
}
