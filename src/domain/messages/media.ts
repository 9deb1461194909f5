/**
 * Files on their way to the network, encrypted and readable at any offset. Each of the network's media classes has its own key derivation
 * and upload path.
 */
export type MediaClass = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** The file's owner, since users take turns, and the signal that aborts the work. */
export interface MediaRequest {
  readonly userId: number;
  readonly signal?: AbortSignal | undefined;
}

/** A file with random access, not held in memory as a whole. */
export interface RandomAccessBytes {
  readonly size: number;
  /** Fewer than `length` bytes at the end of the file. Do not keep or change the result, which may be the file itself. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** An encrypted file with the key and hashes for its message. Close it once it is uploaded. */
export interface EncipheredFile {
  readonly class: MediaClass;
  readonly plain: RandomAccessBytes;
  readonly mediaKey: Uint8Array;
  readonly sha256: Uint8Array;
  readonly encryptedSha256: Uint8Array;
  readonly length: number;
  /** Encrypted bytes held in memory. */
  readonly held: number;
  /** The encrypted form from byte `from` on; may be called repeatedly. A chunk is valid until the next one. */
  ciphertext(from?: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
