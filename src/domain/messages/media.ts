/** Files on their way to the network: encrypted before they leave, and readable at any offset until then. */

/** The network's media classes; each has its own key derivation and upload path. */
export type MediaClass = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** The user whose file it is, as users take turns, and the signal that ends the work. */
export interface MediaRequest {
  readonly userId: number;
  readonly signal?: AbortSignal | undefined;
}

/** A file of which parts are read, without the whole in memory. */
export interface RandomAccessBytes {
  readonly size: number;
  /** Fewer bytes than `length` at the end of the file, none behind it. Not to be kept or changed: it may be the file itself. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A file as the media host gets it, with the key and the hashes that its message names. Close it once it is uploaded. */
export interface EncipheredFile {
  readonly class: MediaClass;
  /** The file as it was given. */
  readonly plain: RandomAccessBytes;
  readonly mediaKey: Uint8Array;
  readonly sha256: Uint8Array;
  readonly encryptedSha256: Uint8Array;
  /** Bytes of the encrypted form. */
  readonly length: number;
  /** Bytes of it that are in memory. */
  readonly held: number;
  /** The encrypted form from the byte `from` on, as often as it is asked for. A piece is valid until the next one is. */
  ciphertext(from?: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
