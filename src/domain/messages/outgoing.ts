/** Messages as the driver is asked to send them (docs/spec/messages.md, Sending). */
import { HandsetError } from '../../errors.ts';
import type { Jid, Recipient } from '../jid.ts';
import type { GivenRecipient } from '../chats/recipient.ts';
import type { MessageRecord } from '../message.ts';
import { type FileContent, fileIn, fileKinds, type EncipheredFile } from './files.ts';
import type { Place, Poll, SharedContact } from './parts.ts';

export type OutgoingPlace = Pick<Place, 'name' | 'address'> & { readonly latitude: number; readonly longitude: number };

export type OutgoingContact = Pick<SharedContact, 'numbers' | 'organization'> & { readonly name: string };

export type MessageAction =
  | { readonly kind: 'edit'; readonly original: MessageRecord; readonly text: string }
  | { readonly kind: 'delete'; readonly original: MessageRecord }
  | { readonly kind: 'reaction'; readonly original: MessageRecord; readonly reaction: string | null }
  | { readonly kind: 'pin'; readonly original: MessageRecord; readonly seconds: number | null };

export interface OutgoingPreview {
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly thumbnail: Uint8Array | null;
}

export type OutgoingContent =
  | { readonly kind: 'text'; readonly text: string; readonly preview?: OutgoingPreview }
  | FileContent
  | { readonly kind: 'location'; readonly location: OutgoingPlace }
  | { readonly kind: 'contact'; readonly contacts: readonly OutgoingContact[] }
  | { readonly kind: 'poll'; readonly poll: Poll }
  /** For a person who may not be added directly. `expiresAt`: ms. */
  | {
      readonly kind: 'groupInvite';
      readonly group: Jid;
      readonly subject: string;
      readonly code: string;
      readonly expiresAt: number;
    }
  | { readonly kind: 'forward'; readonly original: MessageRecord }
  /** The frame of an album, before its images and videos. */
  | { readonly kind: 'album'; readonly images: number; readonly videos: number }
  /** A file of an album; `body` is the result of `NetworkSession.upload`. */
  | { readonly kind: 'albumItem'; readonly albumId: string; readonly body: Uint8Array }
  /** Sets the chat's timer; 0: messages stay. Has no text. */
  | { readonly kind: 'timer'; readonly seconds: number }
  | MessageAction;

export const isAction = (content: OutgoingContent): content is MessageAction =>
  content.kind === 'edit' || content.kind === 'delete' || content.kind === 'reaction' || content.kind === 'pin';

export const isMedia = (content: OutgoingContent): content is FileContent => fileKinds.has(content.kind);

export const fileOf = (content: OutgoingContent): EncipheredFile | null => (isMedia(content) ? fileIn(content) : null);

export interface References {
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly Jid[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

export interface SendAttempt {
  readonly messageId: string;
  /** An earlier attempt under this id, here or on another node, may have sent it. */
  readonly isRepeat: boolean;
}

export interface OutgoingMessage extends References {
  /** Chosen before sending, so that a repeat is the same message. */
  readonly id: string;
  /** An earlier attempt may have sent it: the store is checked first. */
  readonly isRepeat?: boolean;
  /** ms; not sent after this, when its caller stops waiting. */
  readonly until?: number;
  readonly recipient: GivenRecipient;
  readonly content: OutgoingContent;
  /** Aborted when the caller is gone: not sent if not uploaded by then. */
  readonly signal?: AbortSignal | undefined;
}

export interface AddressedMessage extends OutgoingMessage {
  readonly recipient: Recipient;
}

export interface SentMessage {
  readonly record: MessageRecord;
}

export const albumSize = { min: 2, max: 30 } as const;

/** Names the file in its error, by its index in the request. */
export const ofItem = (error: unknown, index: number): unknown => {
  if (!(error instanceof HandsetError)) return error;
  const { name, message, cause, retryAfterSeconds, reason } = error;
  const options = { cause, reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new HandsetError(name, `items[${index}]: ${message}`, options);
};
