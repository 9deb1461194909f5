/** Makes the protobuf of what a person writes on a phone, and puts its media on the media host. */
import { randomBytes } from 'node:crypto';
import { proto } from 'baileys';
import sharp from 'sharp';
import { encryptMedia, type MediaKind, uploadToken } from '../../media/cipher.ts';
import type { MediaLocation, Message } from '../context.ts';
import { type About, type EventAnswer, eventAnswers, optionHash, seal } from './secrets.ts';
import type { ViewMessage } from '../view.ts';
import { badRequest } from '../../errors.ts';

export interface Attachment {
  readonly kind: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimetype: string | null;
  readonly caption: string | null;
  readonly fileName: string | null;
}

export type Writing =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly attachment: Attachment }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly name: string | null }
  | { readonly kind: 'contact'; readonly name: string; readonly number: string }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'poll'; readonly question: string; readonly options: readonly string[] };

const quote = ({ id, from, text, image }: ViewMessage): proto.IContextInfo => ({
  stanzaId: id,
  participant: from,
  quotedMessage: { conversation: text ?? image?.caption ?? '' },
});

const defaultType: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

/** Dimensions, type and preview of an image, read from its bytes. */
const measure = async (
  bytes: Uint8Array,
): Promise<{ width: number; height: number; mimetype: string; jpegThumbnail: Buffer }> => {
  try {
    const { width, height, format } = await sharp(bytes).metadata();
    const jpegThumbnail = await sharp(bytes)
      .resize(72, 72, { fit: 'inside' })
      .flatten()
      .jpeg({ quality: 50 })
      .toBuffer();
    return { width, height, mimetype: `image/${format}`, jpegThumbnail };
  } catch {
    throw badRequest('the bytes are not an image');
  }
};

const writeMedia = async (
  attachment: Attachment,
  media: MediaLocation,
  context: { readonly contextInfo?: proto.IContextInfo },
): Promise<Message> => {
  const { kind, bytes, caption, fileName } = attachment;
  const pictured = kind === 'image' || kind === 'sticker' ? await measure(bytes) : null;
  const file = encryptMedia(bytes, kind);
  const token = uploadToken(file.fileEncSha256);
  await media.blobs.put(token, file.body);
  const { url, directPath } = media.urlOf(token);
  const common = {
    url,
    directPath,
    mediaKey: file.mediaKey,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
    fileSha256: file.fileSha256,
    fileEncSha256: file.fileEncSha256,
    fileLength: file.fileLength,
    mimetype: attachment.mimetype ?? pictured?.mimetype ?? defaultType[kind],
    ...context,
  };
  const size = pictured === null ? {} : { width: pictured.width, height: pictured.height };
  switch (kind) {
    case 'image':
      return { imageMessage: { ...common, ...size, caption, jpegThumbnail: pictured!.jpegThumbnail } };
    case 'video':
      return { videoMessage: { ...common, caption } };
    case 'audio':
      return { audioMessage: { ...common, ptt: false } };
    case 'document':
      return { documentMessage: { ...common, caption, fileName: fileName ?? 'file', title: fileName ?? 'file' } };
    case 'sticker':
      return { stickerMessage: { ...common, ...size } };
  }
};

const vcard = (name: string, number: string): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name};;;`,
    `FN:${name}`,
    `TEL;type=CELL;waid=${number}:+${number}`,
    'END:VCARD',
  ].join('\n');

/** A new message; `quoted` is what it answers. */
export const compose = async (writing: Writing, media: MediaLocation, quoted: ViewMessage | null): Promise<Message> => {
  const context = quoted === null ? {} : { contextInfo: quote(quoted) };
  switch (writing.kind) {
    case 'text':
      return quoted === null
        ? { conversation: writing.text }
        : { extendedTextMessage: { text: writing.text, ...context } };
    case 'media':
      return writeMedia(writing.attachment, media, context);
    case 'location': {
      const { latitude: degreesLatitude, longitude: degreesLongitude, name } = writing;
      return { locationMessage: { degreesLatitude, degreesLongitude, name, ...context } };
    }
    case 'contact': {
      const { name, number } = writing;
      return { contactMessage: { displayName: name, vcard: vcard(name, number), ...context } };
    }
    case 'event':
      return { eventMessage: { name: writing.name, ...context } };
    case 'poll': {
      const options = writing.options.map((optionName) => ({ optionName }));
      return { pollCreationMessageV3: { name: writing.question, options, selectableOptionsCount: 1, ...context } };
    }
  }
};

/** Every message that phones write has a secret, under which edits, votes and the like are sealed. */
export const withSecret = (message: Message): Message => ({
  ...message,
  messageContextInfo: { messageSecret: randomBytes(32) },
});

/** Which message of a chat is meant, as seen by whoever writes about it. */
const keyOf = (message: ViewMessage): proto.IMessageKey => ({
  remoteJid: message.chat,
  fromMe: message.fromMe,
  id: message.id,
  ...(message.chat.endsWith('@g.us') && { participant: message.from }),
});

const editOf = (message: ViewMessage, text: string): Message => ({
  protocolMessage: {
    key: keyOf(message),
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: message.type === 'image' ? { imageMessage: { caption: text } } : { conversation: text },
    timestampMs: Date.now(),
  },
});

/** The form of before May 2026. */
export const composePlainEdit = (message: ViewMessage, text: string): Message => ({
  editedMessage: { message: editOf(message, text) },
});

export const composeEdit = (message: ViewMessage, text: string, about: About): Message => ({
  secretEncryptedMessage: {
    targetMessageKey: keyOf(message),
    secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
    ...seal('Message Edit', about, proto.Message.encode(editOf(message, text)).finish()),
  },
});

/** As in announcement groups. */
export const composeSealedReaction = (message: ViewMessage, emoji: string, about: About): Message => ({
  encReactionMessage: {
    targetMessageKey: keyOf(message),
    ...seal(
      'Enc Reaction',
      about,
      proto.Message.ReactionMessage.encode({ text: emoji, senderTimestampMs: Date.now() }).finish(),
    ),
  },
});

export const composeVote = (poll: ViewMessage, options: readonly string[], about: About): Message => ({
  pollUpdateMessage: {
    pollCreationMessageKey: keyOf(poll),
    vote: seal(
      'Poll Vote',
      about,
      proto.Message.PollVoteMessage.encode({ selectedOptions: options.map(optionHash) }).finish(),
    ),
    senderTimestampMs: Date.now(),
  },
});

export const composeAnswer = (event: ViewMessage, answer: EventAnswer, about: About): Message => ({
  encEventResponseMessage: {
    eventCreationMessageKey: keyOf(event),
    ...seal(
      'Event Response',
      about,
      proto.Message.EventResponseMessage.encode({
        response: proto.Message.EventResponseMessage.EventResponseType[eventAnswers[answer]],
        timestampMs: Date.now(),
      }).finish(),
    ),
  },
});

export const composeRevoke = (message: ViewMessage): Message => ({
  protocolMessage: { key: keyOf(message), type: proto.Message.ProtocolMessage.Type.REVOKE },
});

/** An empty `emoji` takes the reaction back. */
export const composeReaction = (message: ViewMessage, emoji: string): Message => ({
  reactionMessage: { key: keyOf(message), text: emoji, senderTimestampMs: Date.now() },
});

const media = (mediatype: string): { type: string; mediatype: string } => ({ type: 'media', mediatype });

/** The `type` of the stanza and the `mediatype` of its ciphertexts. */
export const stanzaType = (message: Message): { readonly type: string; readonly mediatype: string | null } => {
  if (message.imageMessage) return media('image');
  if (message.videoMessage) return media('video');
  if (message.audioMessage) return media(message.audioMessage.ptt ? 'ptt' : 'audio');
  if (message.documentMessage) return media('document');
  if (message.stickerMessage) return media('sticker');
  if (message.locationMessage) return media('location');
  if (message.contactMessage) return media('vcard');
  if (message.reactionMessage || message.encReactionMessage) return { type: 'reaction', mediatype: null };
  if (message.pollCreationMessageV3 || message.pollUpdateMessage) return { type: 'poll', mediatype: null };
  return { type: 'text', mediatype: null };
};
