/** Encryption of a connection's frames after the handshake: AES-256-GCM under a counter for each direction (Noise, section 5.1). */
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

  /** Never the same twice under one key. */
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

  seal(plain: Uint8Array): Buffer {
    const cipher = createCipheriv(algorithm, this.#out.key, this.#out.nonce());
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws unless this is the next frame, unchanged. */
  open(sealed: Uint8Array): Buffer {
    const length = sealed.length - tagBytes;
    if (length < 0) throw new Error('A frame is shorter than its tag');
    const decipher = createDecipheriv(algorithm, this.#in.key, this.#in.nonce(), { authTagLength: tagBytes });
    decipher.setAuthTag(sealed.subarray(length));
    const plain = decipher.update(sealed.subarray(0, length));
    try {
      decipher.final();
    } catch (cause) {
      throw new Error('A frame was changed on its way', { cause });
    }
    return plain;
  }
}
