/** Keys of a media file, derived from the key in its message. */
import { hkdfSync } from 'node:crypto';
import type { MediaClass } from '../../domain/messages/files.ts';

export interface MediaKeys {
  readonly iv: Uint8Array;
  readonly cipherKey: Uint8Array;
  readonly macKey: Uint8Array;
}

export type FileKind = MediaClass | 'md-msg-hist' | 'md-app-state';

const infoOf: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'md-msg-hist': 'WhatsApp History Keys',
  'md-app-state': 'WhatsApp App State Keys',
};

export const mediaKeysOf = (mediaKey: Uint8Array, kind: FileKind): MediaKeys => {
  const expanded = new Uint8Array(hkdfSync('sha256', mediaKey, new Uint8Array(), infoOf[kind], 112));
  return { iv: expanded.subarray(0, 16), cipherKey: expanded.subarray(16, 48), macKey: expanded.subarray(48, 80) };
};
