/** The `type` of a message stanza and the `mediatype` of its ciphertexts (whatsmeow send.go, 2026-07-13; zapo encode/content.ts). */
import { normalizeMessageContent } from 'baileys';
import type { Message } from '../context.ts';

/** Media types by the field of the content. */
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
  if (content.extendedTextMessage?.title) return 'url';
  if (content.videoMessage) return content.videoMessage.gifPlayback ? 'gif' : 'video';
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio';
  return mediaTypes.find(([field]) => content[field])?.[1] ?? null;
};

export const stanzaType = (message: Message): { readonly type: string; readonly mediatype: string | null } => {
  const content = normalizeMessageContent(message) ?? {};
  if (content.reactionMessage || content.encReactionMessage) return { type: 'reaction', mediatype: null };
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV3 ?? content.pollUpdateMessage;
  if (poll) return { type: 'poll', mediatype: null };
  const mediatype = mediaTypeOf(content);
  return { type: mediatype === null ? 'text' : 'media', mediatype };
};
