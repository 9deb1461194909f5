/** The media part of a message: its kind, and the location of its encrypted file. */
import type { MediaClass } from '../../../domain/messages/files.ts';
import { asFileName } from '../../../domain/messages/file-names.ts';
import { proto } from '../../library/proto.ts';
import { countOrNull, cutOrNull } from './limits.ts';
import type { MediaPart, Said } from './kind.ts';
import { unwrap } from './decode.ts';

const defaultMimetypes: Readonly<Record<MediaClass, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

type MediaMessage = Pick<
  proto.Message.IDocumentMessage,
  'mimetype' | 'fileLength' | 'fileSha256' | 'fileEncSha256' | 'mediaKey' | 'directPath' | 'contextInfo'
> &
  Partial<Pick<proto.Message.IDocumentMessage, 'caption' | 'fileName' | 'title'>> &
  Partial<Pick<proto.Message.IAudioMessage, 'ptt' | 'waveform' | 'seconds'>> &
  Partial<Pick<proto.Message.IVideoMessage, 'gifPlayback' | 'width' | 'height'>>;

export interface Head {
  readonly imageMessage?: proto.Message.IImageMessage | null;
  readonly videoMessage?: proto.Message.IVideoMessage | null;
  readonly documentMessage?: proto.Message.IDocumentMessage | null;
}

type Found = readonly [MediaClass, MediaMessage];

const inHead = ({ imageMessage, videoMessage, documentMessage }: Head): Found | null => {
  if (imageMessage) return ['image', imageMessage];
  if (videoMessage) return ['video', videoMessage];
  return documentMessage ? ['document', documentMessage] : null;
};

const headIn = (message: proto.IMessage): Head | null =>
  message.buttonsMessage ??
  message.templateMessage?.hydratedTemplate ??
  message.templateMessage?.hydratedFourRowTemplate ??
  message.interactiveMessage?.header ??
  null;

const found = (message: proto.IMessage): Found | null => {
  if (message.imageMessage) return ['image', message.imageMessage];
  const video = message.videoMessage ?? message.ptvMessage;
  if (video) return ['video', video];
  if (message.audioMessage) return ['audio', message.audioMessage];
  if (message.documentMessage) return ['document', message.documentMessage];
  if (message.stickerMessage) return ['sticker', message.stickerMessage];
  const head = headIn(message);
  return head === null ? null : inHead(head);
};

const filled = (bytes: Uint8Array | null | undefined): Uint8Array | null => (bytes?.length ? bytes : null);

const maxWaves = 256;

const waveformOf = (waves: Uint8Array | null | undefined): readonly number[] | null =>
  waves?.length ? Array.from(waves.subarray(0, maxWaves), (wave) => Math.min(wave, 100)) : null;

const mediaPart = (kind: MediaClass, media: MediaMessage): MediaPart => ({
  class: kind,
  mimetype: cutOrNull(media.mimetype) ?? defaultMimetypes[kind],
  bytes: media.fileLength === null || media.fileLength === undefined ? null : Number(media.fileLength),
  sha256: filled(media.fileSha256),
  encryptedSha256: filled(media.fileEncSha256),
  fileName: asFileName(media.fileName || media.title || ''),
  caption: media.caption || null,
  voice: media.ptt === true,
  gif: media.gifPlayback === true,
  seconds: countOrNull(media.seconds),
  width: countOrNull(media.width),
  height: countOrNull(media.height),
  waveform: waveformOf(media.waveform),
  mediaKey: filled(media.mediaKey),
  directPath: media.directPath || null,
});

export const saidMedia = (kind: MediaClass, message: MediaMessage): Said => {
  const media = mediaPart(kind, message);
  return { type: kind, text: media.caption, media, context: message.contextInfo };
};

export const saidNote = (message: MediaMessage): Said => {
  const { media, ...said } = saidMedia('video', message);
  return { ...said, ...(media && { media: { ...media, note: true } }) };
};

export const headPart = (head: Head): MediaPart | null => {
  const pair = inHead(head);
  return pair === null ? null : mediaPart(...pair);
};

export const mediaPartOf = (wrapped: proto.IMessage): MediaPart | null => {
  const pair = found(unwrap(wrapped));
  return pair === null ? null : mediaPart(...pair);
};

/** With another media path; nothing else changes (zapo b13dfaf, 2026-08-12). */
export const withDirectPath = (wrapped: proto.Message, directPath: string): Uint8Array => {
  const [, media] = found(unwrap(wrapped)) ?? [];
  if (media !== undefined) media.directPath = directPath;
  return Uint8Array.from(proto.Message.encode(wrapped).finish());
};
