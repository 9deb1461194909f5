/** Media of a message: what it claims, and the decrypted file. */
import { createHash } from 'node:crypto';
import { normalizeMessageContent, type proto } from 'baileys';
import sharp from 'sharp';
import { decryptMedia, type MediaKind } from '../../media/cipher.ts';
import { tokenOf } from '../../media/host.ts';
import type { MediaLocation, Message } from '../context/context.ts';
import type { Shown, ViewMedia } from '../context/view.ts';

export interface MediaFields {
  readonly directPath?: string | null;
  readonly mediaKey?: Uint8Array | null;
  readonly fileSha256?: Uint8Array | null;
  readonly fileEncSha256?: Uint8Array | null;
  readonly mimetype?: string | null;
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly seconds?: number | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly waveform?: Uint8Array | null;
  readonly pageCount?: number | null;
  readonly jpegThumbnail?: Uint8Array | null;
  readonly contextInfo?: proto.IContextInfo | null;
}

export interface FoundMedia {
  readonly kind: MediaKind;
  readonly fields: MediaFields;
  /** Flags of the kind of recording or video. */
  readonly flags: Partial<Record<'voice' | 'gif' | 'note' | 'animated', true>>;
}

/** The media of a message, whichever kind it is. */
export const mediaOf = (message: Message): FoundMedia | null => {
  const content = normalizeMessageContent(message);
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = content ?? {};
  if (imageMessage) return { kind: 'image', fields: imageMessage, flags: {} };
  if (videoMessage) {
    return { kind: 'video', fields: videoMessage, flags: videoMessage.gifPlayback ? { gif: true } : {} };
  }
  if (ptvMessage) return { kind: 'video', fields: ptvMessage, flags: { note: true } };
  if (audioMessage) return { kind: 'audio', fields: audioMessage, flags: audioMessage.ptt ? { voice: true } : {} };
  if (documentMessage) return { kind: 'document', fields: documentMessage, flags: {} };
  if (!stickerMessage) return null;
  return { kind: 'sticker', fields: stickerMessage, flags: stickerMessage.isAnimated ? { animated: true } : {} };
};

/** Downloads and decrypts, checking every hash that the message gives. */
const openMedia = async (fields: MediaFields, kind: MediaKind, media: MediaLocation): Promise<Buffer> => {
  const { directPath, mediaKey, fileSha256, fileEncSha256 } = fields;
  if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message lacks a media field');
  const token = tokenOf(directPath);
  if (token === null) throw new Error('directPath is none of this media host');
  return decryptMedia(await media.blobs.read(token), kind, { mediaKey, fileSha256, fileEncSha256 });
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

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const readImage = async (image: MediaFields, thumbnail: number, media: MediaLocation): Promise<Partial<Shown>> => {
  const claims = {
    mimetype: image.mimetype ?? null,
    caption: image.caption || null,
    claimedWidth: image.width ?? null,
    claimedHeight: image.height ?? null,
    thumbnailBytes: thumbnail,
  };
  try {
    const file = await openMedia(image, 'image', media);
    const { width, height } = await sharp(file).metadata();
    return { image: { ...claims, bytes: file.length, sha256: sha256(file), width, height } };
  } catch (error) {
    return { image: { ...claims, bytes: null, sha256: null, width: null, height: null }, error: reason(error) };
  }
};

const claimsOf = ({ fields, flags }: FoundMedia): Omit<ViewMedia, 'bytes' | 'sha256'> => ({
  mimetype: fields.mimetype ?? null,
  caption: fields.caption || null,
  fileName: fields.fileName ?? null,
  ...(fields.seconds && { seconds: fields.seconds }),
  ...(fields.width && { width: fields.width }),
  ...(fields.height && { height: fields.height }),
  ...(fields.waveform && fields.waveform.length > 0 && { waveform: [...fields.waveform] }),
  ...(fields.pageCount && { pageCount: fields.pageCount }),
  ...(fields.jpegThumbnail?.length && { thumbnailBytes: fields.jpegThumbnail.length }),
  ...flags,
});

/** Members of the view: what the message claims, and what its file is. */
export const readMedia = async (message: Message, found: FoundMedia, media: MediaLocation): Promise<Partial<Shown>> => {
  const { kind, fields } = found;
  const image = normalizeMessageContent(message)?.imageMessage;
  if (image) return readImage(fields, image.jpegThumbnail?.length ?? 0, media);
  const claims = claimsOf(found);
  try {
    const file = await openMedia(fields, kind, media);
    return { media: { ...claims, bytes: file.length, sha256: sha256(file) } };
  } catch (error) {
    return { media: { ...claims, bytes: null, sha256: null }, error: reason(error) };
  }
};
