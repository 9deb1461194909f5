/** Files that a caller sends: what is wanted of them, and what they are when they go out (docs/spec/messages.md, Send a document, Send a video). */
import type { EncipheredFile } from './media.ts';

/** A file as the caller wants it sent; null: by its bytes, its name or its URL. */
export interface DocumentRequest {
  readonly kind: 'document';
  readonly fileName: string | null;
  readonly mimetype: string | null;
  /** Name and type by the answer in which it was downloaded. */
  readonly download?: { readonly fileName: string | null; readonly mimetype: string | null };
}

export interface VideoRequest {
  readonly kind: 'video';
  /** To be played without sound, again and again. */
  readonly isGif: boolean;
}

export interface AudioRequest {
  readonly kind: 'audio';
  /** As a recording made in the chat. */
  readonly isVoice: boolean;
}

export interface StickerRequest {
  readonly kind: 'sticker';
}

export interface ImageRequest {
  readonly kind: 'image';
}

export type FileRequest = ImageRequest | DocumentRequest | VideoRequest | AudioRequest | StickerRequest;

/** An image as it goes out: converted, if the network's apps would not show it, and measured. */
export interface OutgoingImage {
  readonly file: EncipheredFile;
  readonly mimetype: 'image/jpeg' | 'image/png';
  readonly width: number;
  readonly height: number;
  /** A small JPEG. */
  readonly thumbnail: Uint8Array;
  readonly caption: string | null;
}

export interface OutgoingDocument {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly fileName: string;
  /** Pages of a PDF, where they are told in plain text. */
  readonly pageCount: number | null;
  readonly caption: string | null;
}

/** A video as it goes out: MP4 with H.264 and AAC. */
export interface OutgoingVideo {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  /** A small JPEG; null if none could be made. */
  readonly thumbnail: Uint8Array | null;
  /** Plays without sound, again and again. */
  readonly isGif: boolean;
  readonly caption: string | null;
}

/** An audio file or, with its waveform, a voice message. */
export interface OutgoingAudio {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly seconds: number;
  /** 64 values from 0 to 100; null: no voice message. */
  readonly waveform: Uint8Array | null;
}

/** A sticker as it goes out: WebP. */
export interface OutgoingSticker {
  readonly file: EncipheredFile;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

export type FileContent =
  | { readonly kind: 'image'; readonly image: OutgoingImage }
  | { readonly kind: 'document'; readonly document: OutgoingDocument }
  | { readonly kind: 'video'; readonly video: OutgoingVideo }
  | { readonly kind: 'audio'; readonly audio: OutgoingAudio }
  | { readonly kind: 'sticker'; readonly sticker: OutgoingSticker };

export const fileKinds: ReadonlySet<string> = new Set<FileContent['kind']>([
  'image',
  'document',
  'video',
  'audio',
  'sticker',
]);

export const fileIn = (content: FileContent): EncipheredFile => {
  switch (content.kind) {
    case 'image':
      return content.image.file;
    case 'document':
      return content.document.file;
    case 'video':
      return content.video.file;
    case 'audio':
      return content.audio.file;
    case 'sticker':
      return content.sticker.file;
  }
};
