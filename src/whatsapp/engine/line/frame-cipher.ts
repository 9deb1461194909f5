/** Encryption of a connection's frames, once its handshake is done: AES-256-GCM under a counter for each direction (Noise, section 5.1). */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

export const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** One direction. */
class Direction {
  readonly key: KeyObject;
  #counter = 0;

  constructor(key: Uint8Array) {
    this.key = createSecretKey(key);
  }

  /** Nothing is ever encrypted with the same key under the same number again. */
  nonce(): Uint8Array {
    if (this.#counter > 0xffff_ffff) throw new Error('The keys of this connection are used up');
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(this.#counter, 8);
    this.#counter += 1;
    return nonce;
  }
}

export class FrameCipher {
  readonly #out: Direction;
  readonly #in: Direction;

  constructor(outgoing: Uint8Array, incoming: Uint8Array) {
    this.#out = new Direction(outgoing);
    this.#in = new Direction(incoming);
  }

  /** Writes the ciphertext and its tag, `tagBytes` longer than the plaintext, into `target`. */
  seal(plain: Uint8Array, target: Uint8Array, at: number): void {
    const cipher = createCipheriv(algorithm, this.#out.key, this.#out.nonce());
    target.set(cipher.update(plain), at);
    cipher.final();
    target.set(cipher.getAuthTag(), at + plain.length);
  }

  /** Throws where it is not what was sealed, or not the next one. */
  open(sealed: Uint8Array): Buffer {
    const length = sealed.length - tagBytes;
    if (length < 0) throw new Error('A frame too short to be one');
    const decipher = createDecipheriv(algorithm, this.#in.key, this.#in.nonce(), { authTagLength: tagBytes });
    decipher.setAuthTag(sealed.subarray(length));
    const plain = decipher.update(sealed.subarray(0, length));
    try {
      decipher.final();
    } catch (cause) {
      throw new Error('A frame that was changed on its way', { cause });
    }
    return plain;
  }
}
