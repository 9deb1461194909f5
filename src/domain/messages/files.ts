/** Files that a caller sends: what is wanted of them, and what they are when they go out (docs/spec/messages.md, Send a document, Send a video). */
import { invalidRequest } from '../../errors.ts';
import type { EncipheredFile } from './media.ts';

/** A file as the caller wants it sent; null: by its bytes, its name or its URL. */
export interface DocumentWish {
  readonly kind: 'document';
  readonly fileName: string | null;
  readonly mimetype: string | null;
}

export interface VideoWish {
  readonly kind: 'video';
  /** To be played without sound, again and again. */
  readonly isGif: boolean;
}

export interface AudioWish {
  readonly kind: 'audio';
  /** As a recording made in the chat. */
  readonly isVoice: boolean;
}

export interface StickerWish {
  readonly kind: 'sticker';
}

export type FileWish = DocumentWish | VideoWish | AudioWish | StickerWish;

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
  | { readonly kind: 'document'; readonly document: OutgoingDocument }
  | { readonly kind: 'video'; readonly video: OutgoingVideo }
  | { readonly kind: 'audio'; readonly audio: OutgoingAudio }
  | { readonly kind: 'sticker'; readonly sticker: OutgoingSticker };

export const fileKinds: ReadonlySet<string> = new Set<FileContent['kind']>(['document', 'video', 'audio', 'sticker']);

export const fileIn = (content: FileContent): EncipheredFile => {
  switch (content.kind) {
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

/** As much as file systems take. */
const maxNameBytes = 255;

/** Control characters, and those that turn the direction of text: they hide what a name ends in. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Throws InvalidRequest for what is no name of a file on every system. */
export const checkFileName = (name: string): void => {
  if (name.trim() === '' || name === '.' || name === '..') throw invalidRequest('fileName must be the name of a file');
  if (/[/\\]/.test(name)) throw invalidRequest('fileName must be a name without a path: no "/" and no "\\"');
  if (hidden.test(name)) throw invalidRequest('fileName must have no control characters');
  if (Buffer.byteLength(name) > maxNameBytes)
    throw invalidRequest(`fileName must be at most ${maxNameBytes} bytes of UTF-8`);
};

/** The last part of a URL's path, if it can be a name. */
export const fileNameIn = (url: string): string | null => {
  try {
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
    checkFileName(name);
    return name;
  } catch {
    return null;
  }
};
