/** The content of a decrypted message: its type, text, quote and media, or the action that it stands for. */
import { proto } from '../engine/proto.ts';
import type { MessageType } from '../../domain/event.ts';
import { plainId } from './envelope.ts';
import { type MediaPart, mediaPartOf } from './media.ts';
import { unwrap } from './unwrap.ts';

export type Content =
  | {
      readonly kind: 'message';
      readonly type: MessageType;
      readonly text: string | null;
      readonly quotedMessageId: string | null;
      readonly media: MediaPart | null;
    }
  | { readonly kind: 'edit'; readonly messageId: string; readonly text: string | null }
  | { readonly kind: 'revoke'; readonly messageId: string; readonly key: proto.IMessageKey }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly reaction: string | null }
  | EncryptedUpdate
  /** Messages that the phone hands over because this device never got them. */
  | { readonly kind: 'resent'; readonly messages: readonly proto.IWebMessageInfo[] }
  /** Keys, settings, history: nothing that a person said. */
  | { readonly kind: 'none' };

/** An edit or a reaction that is encrypted with the secret of its message (`message-secret.ts`). */
export interface EncryptedUpdate {
  readonly kind: 'encryptedUpdate';
  readonly use: 'edit' | 'reaction';
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}

type MessageContent = Extract<Content, { kind: 'message' }>;

const { Type } = proto.Message.ProtocolMessage;
const none: Content = { kind: 'none' };

/** Fields without a word of their own: they carry keys or arrange other messages. */
const silentFields: ReadonlySet<string> = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'stickerSyncRmrMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'albumMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  // Encrypted with the secret of the message that they are about, and without an event of their own.
  'secretEncryptedMessage',
  'pollUpdateMessage',
  'encEventResponseMessage',
  'encCommentMessage',
]);

/** Replies to buttons and lists, and the templates of businesses: shown as text by the network's apps. */
const templateText = (message: proto.IMessage): string | null | undefined =>
  message.buttonsResponseMessage?.selectedDisplayText ??
  message.listResponseMessage?.title ??
  message.templateButtonReplyMessage?.selectedDisplayText ??
  message.interactiveResponseMessage?.body?.text ??
  message.buttonsMessage?.contentText ??
  message.listMessage?.description ??
  message.interactiveMessage?.body?.text ??
  message.templateMessage?.hydratedTemplate?.hydratedContentText ??
  message.templateMessage?.hydratedFourRowTemplate?.hydratedContentText ??
  message.templateMessage?.interactiveMessageTemplate?.body?.text ??
  message.highlyStructuredMessage?.hydratedHsm?.hydratedTemplate?.hydratedContentText;

const typeAndText = (message: proto.IMessage): readonly [MessageType, string | null | undefined] => {
  if (typeof message.conversation === 'string') return ['text', message.conversation];
  if (message.extendedTextMessage) return ['text', message.extendedTextMessage.text];
  const { locationMessage: place, liveLocationMessage: live, contactMessage: contact } = message;
  if (place) return ['location', place.comment || place.name || place.address];
  if (live) return ['location', live.caption];
  if (contact) return ['contact', contact.displayName];
  if (message.contactsArrayMessage) return ['contact', message.contactsArrayMessage.displayName];
  const poll =
    message.pollCreationMessage ??
    message.pollCreationMessageV2 ??
    message.pollCreationMessageV3 ??
    message.pollCreationMessageV5;
  if (poll) return ['poll', poll.name];
  const text = templateText(message);
  if (typeof text === 'string') return ['text', text];
  return ['unknown', message.groupInviteMessage?.caption ?? message.eventMessage?.name];
};

/** As long as a text that is sent may be. Apps of the network write no longer ones, but any client can. */
const maxText = 65_536;
/** Several emoji joined into one. */
const maxReaction = 64;

/** UTF-16 units, without half a character at the end. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most);

const cutOrNull = (text: string | null | undefined, most: number): string | null => (text ? cut(text, most) : null);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The quote, wherever the kind of message keeps its context. */
const quotedIdOf = (message: proto.IMessage): string | null => {
  for (const part of Object.values(message)) {
    if (!isObject(part) || !('contextInfo' in part) || !isObject(part.contextInfo)) continue;
    if ('stanzaId' in part.contextInfo && typeof part.contextInfo.stanzaId === 'string') {
      return part.contextInfo.stanzaId || null;
    }
  }
  return null;
};

const messageContent = (message: proto.IMessage): MessageContent => {
  const media = mediaPartOf(message);
  const [type, text] = media === null ? typeAndText(message) : ([media.class, media.caption] as const);
  return {
    kind: 'message',
    type,
    text: cutOrNull(text || (media === null ? null : templateText(message)), maxText),
    quotedMessageId: quotedIdOf(message),
    media,
  };
};

const textOf = (message: proto.IMessage | null | undefined): string | null =>
  message ? messageContent(unwrap(message)).text : null;

const resentMessages = (
  response: proto.Message.IPeerDataOperationRequestResponseMessage | null | undefined,
): Content => {
  const messages = (response?.peerDataOperationResult ?? [])
    .map((result) => result.placeholderMessageResendResponse?.webMessageInfoBytes)
    .filter((bytes) => bytes !== null && bytes !== undefined)
    .map((bytes) => proto.WebMessageInfo.decode(bytes));
  return messages.length === 0 ? none : { kind: 'resent', messages };
};

const protocolContent = (protocol: proto.Message.IProtocolMessage): Content => {
  const messageId = protocol.key?.id ? plainId(protocol.key.id) : null;
  switch (protocol.type) {
    case Type.REVOKE:
      return messageId && protocol.key ? { kind: 'revoke', messageId, key: protocol.key } : none;
    case Type.MESSAGE_EDIT:
      return messageId ? { kind: 'edit', messageId, text: textOf(protocol.editedMessage) } : none;
    case Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE:
      return resentMessages(protocol.peerDataOperationRequestResponseMessage);
    default:
      return none;
  }
};

const gcmIvBytes = 12;
const gcmTagBytes = 16;

type EncryptedFields = Pick<proto.Message.IEncReactionMessage, 'targetMessageKey' | 'encIv' | 'encPayload'>;

const encryptedUpdate = (use: EncryptedUpdate['use'], fields: EncryptedFields): Content => {
  const { targetMessageKey, encIv: iv, encPayload: payload } = fields;
  if (!targetMessageKey?.id || iv?.length !== gcmIvBytes || !payload || payload.length < gcmTagBytes) return none;
  return { kind: 'encryptedUpdate', use, messageId: plainId(targetMessageKey.id), iv, payload };
};

const { SecretEncType } = proto.Message.SecretEncryptedMessage;

export const contentOf = (wrapped: proto.IMessage): Content => {
  const message = unwrap(wrapped);
  if (message.protocolMessage) return protocolContent(message.protocolMessage);
  const reaction = message.reactionMessage;
  if (reaction) {
    if (!reaction.key?.id) return none;
    return { kind: 'reaction', messageId: plainId(reaction.key.id), reaction: cutOrNull(reaction.text, maxReaction) };
  }
  if (message.secretEncryptedMessage?.secretEncType === SecretEncType.MESSAGE_EDIT) {
    return encryptedUpdate('edit', message.secretEncryptedMessage);
  }
  if (message.encReactionMessage) return encryptedUpdate('reaction', message.encReactionMessage);
  const fields = Object.keys(message).filter((field) => field !== 'messageContextInfo');
  // A message of a kind newer than these protobufs has no field left: it is unknown, not nothing (docs/spec/messages.md, Message log).
  if (fields.length > 0 && fields.every((field) => silentFields.has(field))) return none;
  return messageContent(message);
};
