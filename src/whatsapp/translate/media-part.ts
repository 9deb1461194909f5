/** The media part of a message, as all kinds have it. */

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
  readonly voice: boolean;
  readonly gif: boolean;
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly waveform: readonly number[] | null;
  readonly mediaKey: Uint8Array | null;
  readonly directPath: string | null;
}
