/** The media part of a message: which kind it is, and where its encrypted bytes are. */
import { proto } from '../engine/proto.ts';
import { unwrap } from './unwrap.ts';

/** The network's media classes; each has its own key derivation and upload path. */
export type MediaClass = 'image' | 'video' | 'audio' | 'document' | 'sticker';

export interface MediaPart {
  readonly class: MediaClass;
  readonly mimetype: string;
  readonly bytes: number | null;
  readonly sha256: Uint8Array | null;
  readonly encryptedSha256: Uint8Array | null;
  readonly fileName: string | null;
  readonly caption: string | null;
  readonly mediaKey: Uint8Array | null;
  readonly directPath: string | null;
}

const defaultMimetypes: Readonly<Record<MediaClass, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

/** The fields that all five kinds of media message share. */
type MediaMessage = Pick<
  proto.Message.IDocumentMessage,
  'mimetype' | 'fileLength' | 'fileSha256' | 'fileEncSha256' | 'mediaKey' | 'directPath'
> & { caption?: string | null; fileName?: string | null; title?: string | null };

const found = (message: proto.IMessage): readonly [MediaClass, MediaMessage] | null => {
  if (message.imageMessage) return ['image', message.imageMessage];
  const video = message.videoMessage ?? message.ptvMessage;
  if (video) return ['video', video];
  if (message.audioMessage) return ['audio', message.audioMessage];
  if (message.documentMessage) return ['document', message.documentMessage];
  if (message.stickerMessage) return ['sticker', message.stickerMessage];
  const buttons = message.buttonsMessage;
  if (buttons?.imageMessage) return ['image', buttons.imageMessage];
  if (buttons?.videoMessage) return ['video', buttons.videoMessage];
  if (buttons?.documentMessage) return ['document', buttons.documentMessage];
  return null;
};

const filled = (bytes: Uint8Array | null | undefined): Uint8Array | null => (bytes?.length ? bytes : null);

/** Null when the message carries no media. */
export const mediaPartOf = (wrapped: proto.IMessage): MediaPart | null => {
  const pair = found(unwrap(wrapped));
  if (pair === null) return null;
  const [kind, media] = pair;
  const bytes = media.fileLength === null || media.fileLength === undefined ? null : Number(media.fileLength);
  return {
    class: kind,
    mimetype: media.mimetype || defaultMimetypes[kind],
    bytes,
    sha256: filled(media.fileSha256),
    encryptedSha256: filled(media.fileEncSha256),
    fileName: media.fileName || media.title || null,
    caption: media.caption || null,
    mediaKey: filled(media.mediaKey),
    directPath: media.directPath || null,
  };
};

/** The bytes of a message whose media is at another path now. Nothing else of it changes (zapo b13dfaf, 2026-08-12). */
export const withDirectPath = (wrapped: proto.Message, directPath: string): Uint8Array => {
  const [, media] = found(unwrap(wrapped)) ?? [];
  if (media !== undefined) media.directPath = directPath;
  return Uint8Array.from(proto.Message.encode(wrapped).finish());
};
