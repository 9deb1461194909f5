/** Images, videos, recordings, documents and stickers: encrypted, and put on the media host. */
import { type proto } from 'baileys';
import sharp from 'sharp';
import { encryptMedia, type MediaKind, uploadToken } from '../../media/cipher.ts';
import type { MediaLocation, Message } from '../context/context.ts';
import { badRequest } from '../../base/errors.ts';

export interface Attachment {
  readonly kind: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimetype: string | null;
  readonly caption: string | null;
  readonly fileName: string | null;
  /** A recording made in the chat. */
  readonly voice?: boolean;
  /** A video that is played without sound, again and again. */
  readonly gif?: boolean;
  /** A video note: shown round. */
  readonly note?: boolean;
  readonly seconds?: number | null;
  /** Width of a video; that of an image is read from its bytes. */
  readonly width?: number | null;
  readonly height?: number | null;
  /** Loudness of a voice message over its length, from 0 to 100. */
  readonly waveform?: readonly number[] | null;
}

const defaultType: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

/** Dimensions, type and preview of an image, read from its bytes. */
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

/** As the apps wrap what is to be looked at once. */
export const viewOnceMessage = (message: Message): Message => {
  const { imageMessage: image, videoMessage: video, audioMessage: audio } = message;
  if (image) return { viewOnceMessageV2: { message: { imageMessage: { ...image, viewOnce: true } } } };
  if (video) return { viewOnceMessageV2: { message: { videoMessage: { ...video, viewOnce: true } } } };
  if (audio?.ptt) return { viewOnceMessageV2Extension: { message: { audioMessage: { ...audio, viewOnce: true } } } };
  throw badRequest('viewOnce goes with an image, a video or a voice message');
};
