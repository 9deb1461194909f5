/** The media part of a message, as all kinds have it. */
import type { MediaClass } from '../../domain/messages/media.ts';

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
