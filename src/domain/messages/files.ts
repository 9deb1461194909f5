/** Files to send: as requested, and as sent (docs/spec/messages.md, Send a document, Send a video). */

/** View once: nothing of the file is kept after the network has accepted it. */
interface Once {
  readonly viewOnce?: boolean;
}

/** A file as the caller wants it sent; null: by its bytes, its name or its URL. */
export interface DocumentRequest {
  readonly kind: 'document';
  readonly fileName: string | null;
  readonly mimetype: string | null;
  readonly download?: { readonly fileName: string | null; readonly mimetype: string | null };
}

export interface VideoRequest extends Once {
  readonly kind: 'video';
  readonly isGif: boolean;
  /** A video note: round, at most a minute long. */
  readonly isNote?: boolean;
}

export interface AudioRequest extends Once {
  readonly kind: 'audio';
  readonly isVoice: boolean;
}

export interface StickerRequest {
  readonly kind: 'sticker';
}

export interface ImageRequest extends Once {
  readonly kind: 'image';
}

export type FileRequest = ImageRequest | DocumentRequest | VideoRequest | AudioRequest | StickerRequest;

/** Files to upload, encrypted and readable at any offset. Each media class has its own key derivation and upload path. */
export type MediaClass = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** The owner, for fairness between users, and the abort signal. */
export interface MediaRequest {
  readonly userId: number;
  readonly signal?: AbortSignal | undefined;
}

export interface RandomAccessBytes {
  readonly size: number;
  /** Shorter only at the end of the file. Do not keep or change the result, which may be the file itself. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** With the key and hashes for its message. Close it after the upload. */
export interface EncipheredFile {
  readonly class: MediaClass;
  readonly plain: RandomAccessBytes;
  readonly mediaKey: Uint8Array;
  readonly sha256: Uint8Array;
  readonly encryptedSha256: Uint8Array;
  readonly length: number;
  readonly held: number;
  /** Encrypted bytes from `from` on; may be called repeatedly. A chunk is valid until the next one. */
  ciphertext(from?: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface OutgoingImage {
  readonly file: EncipheredFile;
  readonly mimetype: 'image/jpeg' | 'image/png';
  readonly width: number;
  readonly height: number;
  readonly thumbnail: Uint8Array;
  readonly caption: string | null;
}

export interface OutgoingDocument {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly fileName: string;
  /** Of a PDF, if uncompressed. */
  readonly pageCount: number | null;
  readonly caption: string | null;
}

export interface OutgoingVideo {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly thumbnail: Uint8Array | null;
  readonly isGif: boolean;
  readonly isNote?: boolean;
  readonly caption: string | null;
}

export interface OutgoingAudio {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly seconds: number;
  readonly waveform: Uint8Array | null;
}

export interface OutgoingSticker {
  readonly file: EncipheredFile;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

export type FileContent =
  | ({ readonly kind: 'image'; readonly image: OutgoingImage } & Once)
  | { readonly kind: 'document'; readonly document: OutgoingDocument }
  | ({ readonly kind: 'video'; readonly video: OutgoingVideo } & Once)
  | ({ readonly kind: 'audio'; readonly audio: OutgoingAudio } & Once)
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

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** How many of the first bytes `isImage` needs. */
export const signatureBytes = 12;

/** Whether a file begins as an image that can be sent: PNG, JPEG, GIF or WebP. */
export const isImage = (bytes: Uint8Array): boolean =>
  ascii(bytes, 1, 4) === 'PNG' ||
  (bytes[0] === 0xff && bytes[1] === 0xd8) ||
  ascii(bytes, 0, 4) === 'GIF8' ||
  (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP');

/** Frees memory before the next garbage collection: freed buffers could take as much as everything else. Ignores views of a larger buffer. */
export const release = (bytes: Uint8Array): void => {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
};
