/** Reads a decrypted protobuf: what it shows, or what it does to an earlier message. */
import { createHash } from 'node:crypto';
import { normalizeMessageContent, proto } from 'baileys';
import sharp from 'sharp';
import { decryptMedia, type MediaKind } from '../../media/cipher.ts';
import { tokenOf } from '../../media/host.ts';
import type { MediaLocation, Message } from '../context.ts';
import type { MessageKind, Shown } from '../view.ts';

export type Reading =
  | { readonly kind: 'shown'; readonly shown: Shown }
  | { readonly kind: 'edit'; readonly id: string; readonly text: string }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'reaction'; readonly id: string; readonly emoji: string }
  /** A vote in a poll, or an answer to an event. */
  | { readonly kind: 'answer'; readonly id: string; readonly answer: readonly string[] }
  /** Nothing for the eyes: sender keys, requests between own devices. */
  | { readonly kind: 'hidden' };

interface MediaFields {
  readonly directPath?: string | null;
  readonly mediaKey?: Uint8Array | null;
  readonly fileSha256?: Uint8Array | null;
  readonly fileEncSha256?: Uint8Array | null;
  readonly mimetype?: string | null;
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly contextInfo?: proto.IContextInfo | null;
}

/** Downloads and decrypts, checking every hash that the message gives. */
const openMedia = async (fields: MediaFields, kind: MediaKind, media: MediaLocation): Promise<Buffer> => {
  const { directPath, mediaKey, fileSha256, fileEncSha256 } = fields;
  if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message lacks a media field');
  const token = tokenOf(directPath);
  if (token === null) throw new Error('directPath is none of this media host');
  return decryptMedia(await media.blobs.read(token), kind, { mediaKey, fileSha256, fileEncSha256 });
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const readImage = async (image: proto.Message.IImageMessage, media: MediaLocation): Promise<Partial<Shown>> => {
  const claims = {
    mimetype: image.mimetype ?? null,
    caption: image.caption || null,
    claimedWidth: image.width ?? null,
    claimedHeight: image.height ?? null,
    thumbnailBytes: image.jpegThumbnail?.length ?? 0,
  };
  try {
    const file = await openMedia(image, 'image', media);
    const { width, height } = await sharp(file).metadata();
    return { image: { ...claims, bytes: file.length, sha256: sha256(file), width, height } };
  } catch (error) {
    return { image: { ...claims, bytes: null, sha256: null, width: null, height: null }, error: reason(error) };
  }
};

const readFile = async (fields: MediaFields, kind: MediaKind, media: MediaLocation): Promise<Partial<Shown>> => {
  const said = {
    mimetype: fields.mimetype ?? null,
    caption: fields.caption || null,
    fileName: fields.fileName ?? null,
  };
  try {
    const file = await openMedia(fields, kind, media);
    return { media: { ...said, bytes: file.length, sha256: sha256(file) } };
  } catch (error) {
    return { media: { ...said, bytes: null, sha256: null }, error: reason(error) };
  }
};

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The media of a message, whichever kind it is. */
export const mediaOf = (message: Message): { readonly kind: MediaKind; readonly fields: MediaFields } | null => {
  const content = normalizeMessageContent(message);
  if (content?.imageMessage) return { kind: 'image', fields: content.imageMessage };
  if (content?.videoMessage) return { kind: 'video', fields: content.videoMessage };
  if (content?.audioMessage) return { kind: 'audio', fields: content.audioMessage };
  if (content?.documentMessage) return { kind: 'document', fields: content.documentMessage };
  if (content?.stickerMessage) return { kind: 'sticker', fields: content.stickerMessage };
  return null;
};

/** The decrypted file of a message that was shown. */
export const openMessageMedia = async (
  message: Message,
  media: MediaLocation,
): Promise<{ mimetype: string; bytes: Buffer } | null> => {
  const found = mediaOf(message);
  if (found === null) return null;
  return {
    mimetype: found.fields.mimetype ?? 'application/octet-stream',
    bytes: await openMedia(found.fields, found.kind, media),
  };
};

const shownAs = (
  type: MessageKind,
  members: Partial<Omit<Shown, 'type' | 'quotedId'>>,
  context: proto.IContextInfo | null | undefined,
): Reading => ({
  kind: 'shown',
  shown: {
    text: null,
    image: null,
    media: null,
    details: null,
    error: null,
    ...members,
    type,
    quotedId: context?.stanzaId || null,
  },
});

const readProtocol = (protocol: proto.Message.IProtocolMessage): Reading => {
  const id = protocol.key?.id;
  if (id && protocol.type === proto.Message.ProtocolMessage.Type.REVOKE) return { kind: 'revoke', id };
  if (id && protocol.type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT) {
    const edited = normalizeMessageContent(protocol.editedMessage);
    const text = edited?.conversation || edited?.extendedTextMessage?.text || edited?.imageMessage?.caption || '';
    return { kind: 'edit', id, text };
  }
  return { kind: 'hidden' };
};

export const read = async (message: Message, media: MediaLocation): Promise<Reading> => {
  const content = normalizeMessageContent(message);
  if (!content) return { kind: 'hidden' };
  if (content.protocolMessage) return readProtocol(content.protocolMessage);
  if (content.reactionMessage?.key?.id) {
    return { kind: 'reaction', id: content.reactionMessage.key.id, emoji: content.reactionMessage.text ?? '' };
  }
  if (content.conversation) return shownAs('text', { text: content.conversation }, null);
  const extended = content.extendedTextMessage;
  if (extended) return shownAs('text', { text: extended.text ?? '' }, extended.contextInfo);
  const file = mediaOf(content);
  if (file === null) return readOther(content);
  const { kind, fields } = file;
  const image = content.imageMessage;
  const opened = image ? await readImage(image, media) : await readFile(fields, kind, media);
  return shownAs(kind, opened, fields.contextInfo);
};

const readOther = (content: Message): Reading => {
  const location = content.locationMessage;
  if (location) {
    const details = {
      latitude: location.degreesLatitude,
      longitude: location.degreesLongitude,
      name: location.name ?? null,
    };
    return shownAs('location', { details }, location.contextInfo);
  }
  const contact = content.contactMessage;
  if (contact) {
    const details = { name: contact.displayName ?? null, vcard: contact.vcard ?? null };
    return shownAs('contact', { details }, contact.contextInfo);
  }
  const poll = content.pollCreationMessageV3 ?? content.pollCreationMessage ?? content.pollCreationMessageV2;
  if (poll) {
    const details = {
      question: poll.name ?? null,
      options: (poll.options ?? []).map((option) => option.optionName ?? ''),
    };
    return shownAs('poll', { details }, poll.contextInfo);
  }
  const event = content.eventMessage;
  if (event) return shownAs('event', { details: { name: event.name ?? null } }, event.contextInfo);
  // A message with only a sender key in it is no message to anybody's eyes.
  const hidden = new Set(['senderKeyDistributionMessage', 'messageContextInfo']);
  const visible = Object.entries(content).some(
    ([name, value]) => !hidden.has(name) && value !== null && value !== undefined,
  );
  return visible ? shownAs('unknown', {}, null) : { kind: 'hidden' };
};
