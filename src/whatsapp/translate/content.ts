/** The content of a decrypted message: what somebody said, or the action that it stands for. */
import type { proto } from '../engine/proto.ts';
import type { MessageParts, MessageType } from '../../domain/messages/parts.ts';
import type { Action } from './action.ts';
import { plainId } from './envelope.ts';
import { type Kinds, maxText, type Said, cutOrNull } from './kind.ts';
import { albumKinds } from './kinds/album.ts';
import { answerKinds } from './kinds/answer.ts';
import { audioKinds } from './kinds/audio.ts';
import { callLogKinds } from './kinds/call-log.ts';
import { commerceKinds } from './kinds/commerce.ts';
import { contactKinds } from './kinds/contact.ts';
import { documentKinds } from './kinds/document.ts';
import {
  encryptedComment,
  encryptedReaction,
  encryptedResponse,
  encryptedVote,
  isKnownEdit,
  secretEdit,
} from './kinds/encrypted.ts';
import { eventKinds } from './kinds/event.ts';
import { groupInviteKinds } from './kinds/group-invite.ts';
import { imageKinds } from './kinds/image.ts';
import { locationKinds } from './kinds/location.ts';
import { paymentKinds } from './kinds/payment.ts';
import { pollKinds } from './kinds/poll.ts';
import { protocolAction } from './kinds/protocol.ts';
import { pinAction, reactionAction } from './kinds/reaction.ts';
import { selectionKinds } from './kinds/selection.ts';
import { silentFields } from './kinds/silent.ts';
import { stickerKinds } from './kinds/sticker.ts';
import { systemKinds } from './kinds/system.ts';
import { templateKinds } from './kinds/template.ts';
import { textKinds } from './kinds/text.ts';
import { videoKinds } from './kinds/video.ts';
import type { MediaPart } from './media-part.ts';
import { unwrap } from './unwrap.ts';

export interface MessageContent {
  readonly kind: 'message';
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MediaPart | null;
  readonly parts: Partial<MessageParts> | undefined;
  readonly context: proto.IContextInfo | null;
}

/** `none`: keys, settings, history, nothing that a person said. */
export type Content = MessageContent | Action | { readonly kind: 'none' };

const none: Content = { kind: 'none' };

const content = ({ type, text, media, parts, context }: Said): MessageContent => ({
  kind: 'message',
  type,
  text: cutOrNull(text, maxText),
  quotedMessageId: context?.stanzaId ? plainId(context.stanzaId) : null,
  media: media ?? null,
  parts,
  context: context ?? null,
});

type Read = (message: proto.IMessage) => Content;

const messageKinds: readonly Kinds[] = [
  textKinds,
  imageKinds,
  videoKinds,
  audioKinds,
  documentKinds,
  stickerKinds,
  locationKinds,
  contactKinds,
  pollKinds,
  eventKinds,
  groupInviteKinds,
  albumKinds,
  selectionKinds,
  templateKinds,
  commerceKinds,
  paymentKinds,
  callLogKinds,
  answerKinds,
  systemKinds,
];

/** A message of no known kind, or without its content. */
export const unknown = content({ type: 'unknown' });

const actions: Readonly<Partial<Record<keyof proto.IMessage, Read>>> = {
  protocolMessage: ({ protocolMessage }) => protocolAction(protocolMessage!) ?? none,
  reactionMessage: ({ reactionMessage }) => reactionAction(reactionMessage!) ?? none,
  pinInChatMessage: ({ pinInChatMessage }) => pinAction(pinInChatMessage!) ?? none,
  encReactionMessage: ({ encReactionMessage }) => encryptedReaction(encReactionMessage!) ?? none,
  pollUpdateMessage: ({ pollUpdateMessage }) => encryptedVote(pollUpdateMessage!) ?? none,
  encEventResponseMessage: ({ encEventResponseMessage }) => encryptedResponse(encEventResponseMessage!) ?? none,
  encCommentMessage: ({ encCommentMessage }) => encryptedComment(encCommentMessage!) ?? none,
  secretEncryptedMessage: ({ secretEncryptedMessage }) =>
    isKnownEdit(secretEncryptedMessage!) ? (secretEdit(secretEncryptedMessage!) ?? none) : unknown,
  commentMessage: ({ commentMessage }) => commentOn(commentMessage!.targetMessageKey, commentMessage!.message ?? {}),
};

/** How to read a message, by its field. */
const readers: ReadonlyMap<string, Read> = new Map([
  ...messageKinds.flatMap((kinds) =>
    Object.entries(kinds).map(([field, read]): [string, Read] => [field, (message) => content(read(message))]),
  ),
  ...Object.entries(actions),
]);

/** The fields that are read; for who has to know which are not. */
export const readFields: ReadonlySet<string> = new Set(readers.keys());

export const contentOf = (wrapped: proto.IMessage): Content => {
  // Most messages are this one field.
  if (typeof wrapped.conversation === 'string') return content({ type: 'text', text: wrapped.conversation });
  const message: object & proto.IMessage = unwrap(wrapped);
  let isSilent = false;
  let isUnknown = false;
  for (const [field, value] of Object.entries(message)) {
    if (value === null || value === undefined) continue;
    const read = readers.get(field);
    if (read !== undefined) return read(message);
    if (!(field in silentFields)) isUnknown = true;
    else if (field !== 'messageContextInfo') isSilent = true;
  }
  // A message of a kind newer than these protobufs has no field left: it is unknown, not nothing (docs/spec/messages.md, Message log).
  return isSilent && !isUnknown ? none : unknown;
};

/** A comment is a message about the one that it names. */
export const commentOn = (key: proto.IMessageKey | null | undefined, message: proto.IMessage): Content => {
  const comment = contentOf(message);
  if (comment.kind !== 'message') return none;
  return { ...comment, quotedMessageId: comment.quotedMessageId ?? (key?.id ? plainId(key.id) : null) };
};
