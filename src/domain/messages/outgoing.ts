/** Messages as the driver is asked to send them (docs/spec/messages.md, Sending). */
import type { Jid, Recipient } from '../jid.ts';
import type { MessageRecord } from '../message.ts';
import { type FileContent, fileIn, fileKinds } from './files.ts';
import type { EncipheredFile } from './media.ts';
import type { Place, Poll, SharedContact } from './parts.ts';

export type OutgoingPlace = Pick<Place, 'name' | 'address'> & { readonly latitude: number; readonly longitude: number };

export type OutgoingContact = Pick<SharedContact, 'numbers' | 'organization'> & { readonly name: string };

/** A change of an earlier message; its recipient is the chat of that message. */
export type MessageAction =
  | { readonly kind: 'edit'; readonly original: MessageRecord; readonly text: string }
  /** For everyone. */
  | { readonly kind: 'delete'; readonly original: MessageRecord }
  /** Null takes the reaction back. */
  | { readonly kind: 'reaction'; readonly original: MessageRecord; readonly reaction: string | null }
  /** `seconds`: for how long; null takes the pin away. */
  | { readonly kind: 'pin'; readonly original: MessageRecord; readonly seconds: number | null };

/** The preview of a link in a text. */
export interface OutgoingPreview {
  /** As it stands in the text. */
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
  /** A small JPEG. */
  readonly thumbnail: Uint8Array | null;
}

export type OutgoingContent =
  | { readonly kind: 'text'; readonly text: string; readonly preview?: OutgoingPreview }
  | FileContent
  | { readonly kind: 'location'; readonly location: OutgoingPlace }
  | { readonly kind: 'contact'; readonly contacts: readonly OutgoingContact[] }
  | { readonly kind: 'poll'; readonly poll: Poll }
  /** For one person who does not let everybody add them. `expiresAt`: ms. */
  | {
      readonly kind: 'groupInvite';
      readonly group: Jid;
      readonly subject: string;
      readonly code: string;
      readonly expiresAt: number;
    }
  | { readonly kind: 'forward'; readonly original: MessageRecord }
  /** The timer of the chat, 0: messages stay. Nothing is said by it. */
  | { readonly kind: 'timer'; readonly seconds: number }
  | MessageAction;

export const isAction = (content: OutgoingContent): content is MessageAction =>
  content.kind === 'edit' || content.kind === 'delete' || content.kind === 'reaction' || content.kind === 'pin';

export const isMedia = (content: OutgoingContent): content is FileContent => fileKinds.has(content.kind);

/** The file that is uploaded first; null: there is none. */
export const fileOf = (content: OutgoingContent): EncipheredFile | null => (isMedia(content) ? fileIn(content) : null);

/** A message's references to another message and to people. */
export interface References {
  /** A message of the same chat, which this one answers. */
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly Jid[] | undefined;
}

/** The id under which a message is sent. */
export interface SendAttempt {
  readonly messageId: string;
  /** An earlier attempt under this id, here or on another node, may have sent it. */
  readonly isRepeat: boolean;
}

export interface OutgoingMessage extends References {
  /** Chosen before the network sees it, so that a repeat is the same message. */
  readonly id: string;
  /** An earlier attempt may have sent it: the store is asked first. */
  readonly isRepeat?: boolean;
  /** ms; it does not leave after this moment, at which its caller stops waiting. */
  readonly until?: number;
  readonly recipient: Recipient;
  readonly content: OutgoingContent;
  /** Aborted when nobody waits for it any more: what is not uploaded by then is not sent. */
  readonly signal?: AbortSignal | undefined;
}

/** A message that the network accepted. */
export interface SentMessage {
  readonly record: MessageRecord;
}
