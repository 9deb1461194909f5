/** The media part of a message, as all kinds have it. */
import type { MediaClass } from '../../../domain/messages/media.ts';
import type { MessageMedia } from '../../../domain/messages/parts.ts';

export interface MediaPart extends Omit<MessageMedia, 'sha256' | 'url'> {
  readonly class: MediaClass;
  readonly sha256: Uint8Array | null;
  readonly encryptedSha256: Uint8Array | null;
  readonly caption: string | null;
  readonly mediaKey: Uint8Array | null;
  readonly directPath: string | null;
}
