/**
 * Stanza attributes that follow from the content: `type`, `mediatype`, `<meta>`, and whether apps hide it if undecryptable
 * (whatsapp-rust wacore/src/send.rs, zapo message/encode/content.ts; both name the web client's functions).
 */
import { normalizeMessageContent, proto } from 'baileys';
import type { Message } from '../context/context.ts';

export interface StanzaAttributes {
  readonly type: string;
  readonly mediatype: string | null;
  readonly isHidden: boolean;
  readonly meta: Readonly<Record<string, string>> | null;
}

const mediaTypes: readonly (readonly [keyof Message, string])[] = [
  ['imageMessage', 'image'],
  ['ptvMessage', 'ptv'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
  ['locationMessage', 'location'],
  ['liveLocationMessage', 'livelocation'],
  ['contactMessage', 'vcard'],
  ['contactsArrayMessage', 'contact_array'],
  ['listMessage', 'list'],
  ['listResponseMessage', 'list_response'],
  ['buttonsResponseMessage', 'buttons_response'],
  ['orderMessage', 'order'],
  ['productMessage', 'product'],
  ['interactiveResponseMessage', 'native_flow_response'],
  ['groupInviteMessage', 'url'],
];

const mediaTypeOf = (content: Message): string | null => {
  if (content.extendedTextMessage?.matchedText) return 'url';
  if (content.videoMessage) return content.videoMessage.gifPlayback ? 'gif' : 'video';
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio';
  return mediaTypes.find(([field]) => content[field])?.[1] ?? null;
};

const textFields: readonly (keyof Message)[] = [
  'conversation',
  'extendedTextMessage',
  'protocolMessage',
  'keepInChatMessage',
  'editedMessage',
  'pinInChatMessage',
  'interactiveMessage',
  'templateButtonReplyMessage',
  'requestPhoneNumberMessage',
  'encCommentMessage',
  'newsletterAdminInviteMessage',
  'pollResultSnapshotMessage',
  'secretEncryptedMessage',
];

const pollIn = (content: Message): boolean =>
  !!(
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5
  );

const isEventEdit = ({ secretEncryptedMessage: secret }: Message): boolean =>
  secret?.secretEncType === proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT;

const typeOf = (content: Message): string => {
  if (content.reactionMessage || content.encReactionMessage) return 'reaction';
  if (content.eventMessage || content.encEventResponseMessage || isEventEdit(content)) return 'event';
  if (pollIn(content) || content.pollUpdateMessage) return 'poll';
  if (content.extendedTextMessage?.matchedText) return 'media';
  const isSaid = Object.keys(content).some((field) => field !== 'messageContextInfo');
  return isSaid && !textFields.some((field) => content[field]) ? 'media' : 'text';
};

const metaOf = (message: Message, content: Message): Readonly<Record<string, string>> | null => {
  if (pollIn(content)) return { polltype: 'creation' };
  if (content.pollUpdateMessage) return { polltype: 'vote' };
  if (content.eventMessage) return { event_type: 'creation' };
  if (content.encEventResponseMessage) return { event_type: 'response' };
  if (isEventEdit(content)) return { event_type: 'edit' };
  return message.viewOnceMessageV2 || message.viewOnceMessageV2Extension ? { view_once: 'true' } : null;
};

const hiddenFields: readonly (keyof Message)[] = [
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'keepInChatMessage',
  'editedMessage',
  'pinInChatMessage',
  'encCommentMessage',
  'encEventResponseMessage',
];

export const stanzaType = (message: Message): StanzaAttributes => {
  const content = normalizeMessageContent(message) ?? {};
  return {
    type: typeOf(content),
    mediatype: mediaTypeOf(content),
    isHidden:
      isEventEdit(content) ||
      !!content.protocolMessage?.editedMessage ||
      [message, content].some((part) => hiddenFields.some((field) => part[field])),
    meta: metaOf(message, content),
  };
};
