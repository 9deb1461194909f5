/** Images, videos, recordings, documents and stickers, stored on the media host. */
import { normalizeMessageContent, type proto } from 'baileys';
import sharp from 'sharp';
import { decryptMedia, type MediaKind, encryptMedia, uploadToken } from '../../media/cipher.ts';
import { tokenOf } from '../../media/host.ts';
import type { MediaLocation, Message } from '../context/context.ts';
import type { Shown, ViewMedia } from '../context/view.ts';
import { badRequest } from '../../base/errors.ts';

interface MediaFields {
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

interface FoundMedia {
  readonly kind: MediaKind;
  readonly fields: MediaFields;
  readonly flags: Partial<Record<'voice' | 'gif' | 'note' | 'animated', true>>;
}

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

/** Checks every hash in the message. Returns the file's length in bytes. */
const openMedia = async (
  { directPath, mediaKey, fileSha256, fileEncSha256 }: MediaFields,
  kind: MediaKind,
  { blobs }: MediaLocation,
  take?: (piece: Buffer) => void,
): Promise<number> => {
  if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message lacks a media field');
  const token = tokenOf(directPath);
  if (token === null) throw new Error('directPath is none of this media host');
  // The host has checked that a file's hash is its token.
  if (uploadToken(fileEncSha256) !== token) throw new Error('fileEncSha256 does not match the upload');
  const size = blobs.size(token);
  if (size === null) throw new Error('there is no such file on the media host');
  return decryptMedia(blobs.pieces(token), size, kind, { mediaKey, fileSha256 }, take);
};

const fileOf = async (fields: MediaFields, kind: MediaKind, media: MediaLocation): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  await openMedia(fields, kind, media, (piece) => void pieces.push(piece));
  return Buffer.concat(pieces);
};

export const openMessageMedia = async (
  message: Message,
  media: MediaLocation,
): Promise<{ mimetype: string; bytes: Buffer } | null> => {
  const found = mediaOf(message);
  if (found === null) return null;
  return {
    mimetype: found.fields.mimetype ?? 'application/octet-stream',
    bytes: await fileOf(found.fields, found.kind, media),
  };
};

const hexOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('hex');

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
    const file = await fileOf(image, 'image', media);
    const { width, height } = await sharp(file).metadata();
    return { image: { ...claims, bytes: file.length, sha256: hexOf(image.fileSha256), width, height } };
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

export const readMedia = async (message: Message, found: FoundMedia, media: MediaLocation): Promise<Partial<Shown>> => {
  const { kind, fields } = found;
  const image = normalizeMessageContent(message)?.imageMessage;
  if (image) return readImage(fields, image.jpegThumbnail?.length ?? 0, media);
  const claims = claimsOf(found);
  try {
    const bytes = await openMedia(fields, kind, media);
    return { media: { ...claims, bytes, sha256: hexOf(fields.fileSha256) } };
  } catch (error) {
    return { media: { ...claims, bytes: null, sha256: null }, error: reason(error) };
  }
};

export interface Attachment {
  readonly kind: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimetype: string | null;
  readonly caption: string | null;
  readonly fileName: string | null;
  readonly voice?: boolean;
  readonly gif?: boolean;
  readonly note?: boolean;
  readonly seconds?: number | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly waveform?: readonly number[] | null;
}

const defaultType: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

const measure = async (bytes: Uint8Array) => {
  try {
    const { width, height, format, pages = 1 } = await sharp(bytes).metadata();
    const jpegThumbnail = await sharp(bytes)
      .resize(72, 72, { fit: 'inside' })
      .flatten()
      .jpeg({ quality: 50 })
      .toBuffer();
    return { width, height, mimetype: `image/${format}`, jpegThumbnail, isAnimated: pages > 1 };
  } catch {
    throw badRequest('the bytes are not an image');
  }
};

const upload = async (bytes: Uint8Array, kind: MediaKind, media: MediaLocation) => {
  const file = encryptMedia(bytes, kind);
  const token = uploadToken(file.fileEncSha256);
  await media.blobs.put(token, file.body);
  const { url, directPath } = media.urlOf(token);
  const { mediaKey, fileSha256, fileEncSha256, fileLength } = file;
  const mediaKeyTimestamp = Math.floor(Date.now() / 1000);
  return { url, directPath, mediaKey, mediaKeyTimestamp, fileSha256, fileEncSha256, fileLength };
};

export const imageOf = async (
  { bytes, caption, mimetype }: Pick<Attachment, 'bytes' | 'caption' | 'mimetype'>,
  media: MediaLocation,
): Promise<proto.Message.IImageMessage> => {
  const { width, height, jpegThumbnail, mimetype: found } = await measure(bytes);
  return {
    ...(await upload(bytes, 'image', media)),
    width,
    height,
    jpegThumbnail,
    caption,
    mimetype: mimetype ?? found,
  };
};

const stickerOf = async ({ bytes, mimetype }: Attachment, media: MediaLocation): Promise<Message> => {
  const { width, height, isAnimated, mimetype: found } = await measure(bytes);
  const file = await upload(bytes, 'sticker', media);
  return { stickerMessage: { ...file, width, height, isAnimated, mimetype: mimetype ?? found } };
};

export const mediaMessage = async (attachment: Attachment, media: MediaLocation): Promise<Message> => {
  const { kind, bytes, caption, fileName, seconds = null, width = null, height = null, waveform } = attachment;
  if (kind === 'image') return { imageMessage: await imageOf(attachment, media) };
  if (kind === 'sticker') return stickerOf(attachment, media);
  const file = { ...(await upload(bytes, kind, media)), mimetype: attachment.mimetype ?? defaultType[kind] };
  if (kind === 'video') {
    const video = { ...file, caption, seconds, width, height, gifPlayback: attachment.gif ?? false };
    return attachment.note ? { ptvMessage: video } : { videoMessage: video };
  }
  if (kind === 'audio') {
    const ptt = attachment.voice ?? false;
    return { audioMessage: { ...file, ptt, seconds, ...(waveform && { waveform: Uint8Array.from(waveform) }) } };
  }
  const named = { ...file, fileName: fileName ?? 'file', title: fileName ?? 'file' };
  if (caption === null) return { documentMessage: named };
  return { documentWithCaptionMessage: { message: { documentMessage: { ...named, caption } } } };
};

/** Wraps a view-once message like the apps do. */
export const viewOnceMessage = (message: Message): Message => {
  const { imageMessage: image, videoMessage: video, audioMessage: audio } = message;
  if (image) return { viewOnceMessageV2: { message: { imageMessage: { ...image, viewOnce: true } } } };
  if (video) return { viewOnceMessageV2: { message: { videoMessage: { ...video, viewOnce: true } } } };
  if (audio?.ptt) return { viewOnceMessageV2Extension: { message: { audioMessage: { ...audio, viewOnce: true } } } };
  throw badRequest('viewOnce goes with an image, a video or a voice message');
};
