/** The cipher of the frames of a connection, once its handshake is done: AES-256-GCM under a counter for each direction. */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

export const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** One direction. A key object, made once: of raw bytes Node finds out with every frame what they are. */
class Direction {
  readonly #key: KeyObject;
  readonly #nonce = new Uint8Array(12);
  #counter = 0;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  get key(): KeyObject {
    return this.#key;
  }

  nextNonce(): Uint8Array {
    const counter = this.#counter++;
    // A key is never used with the same nonce again.
    if (counter > 0xffff_ffff) throw new Error('The keys of this connection are used up');
    this.#nonce[8] = counter >>> 24;
    this.#nonce[9] = counter >>> 16;
    this.#nonce[10] = counter >>> 8;
    this.#nonce[11] = counter;
    return this.#nonce;
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
    const cipher = createCipheriv(algorithm, this.#out.key, this.#out.nextNonce());
    target.set(cipher.update(plain), at);
    cipher.final();
    target.set(cipher.getAuthTag(), at + plain.length);
  }

  /** Throws where it is not what was sealed, or not the next one. */
  open(sealed: Uint8Array): Buffer {
    const end = sealed.length - tagBytes;
    if (end < 0) throw new Error('A frame too short to be one');
    const decipher = createDecipheriv(algorithm, this.#in.key, this.#in.nextNonce());
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(0, end));
    decipher.final();
    return plain;
  }
}
