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
