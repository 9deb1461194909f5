/** Frames: a 3-byte length and as many bytes, encrypted with AES-256-GCM under a counter per direction (Noise, section 5.1). */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

export const lengthBytes = 3;
export const maxFrame = 0xff_ffff;
export const tagBytes = 16;
const algorithm = 'aes-256-gcm';

export const framed = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(lengthBytes + bytes.length);
  frame.writeUIntBE(bytes.length, 0, lengthBytes);
  frame.set(bytes, lengthBytes);
  return frame;
};

export class FrameReader {
  #rest: Buffer[] = [];
  #length = 0;
  #needed = lengthBytes;

  read(chunk: Buffer): readonly Buffer[] {
    this.#rest.push(chunk);
    this.#length += chunk.length;
    // A long frame in many chunks is joined once.
    if (this.#length < this.#needed) return [];
    const bytes = this.#rest.length === 1 ? chunk : Buffer.concat(this.#rest);
    const frames: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const begin = at + lengthBytes;
      const end = begin + bytes.readUIntBE(at, lengthBytes);
      if (end > bytes.length) break;
      at = end;
      frames.push(bytes.subarray(begin, end));
    }
    const rest = bytes.subarray(at);
    this.#rest = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    this.#needed = lengthBytes + (rest.length < lengthBytes ? 0 : rest.readUIntBE(0, lengthBytes));
    return frames;
  }
}

class Direction {
  readonly key: KeyObject;
  readonly #nonce = Buffer.alloc(12);
  #counter = 0;

  constructor(key: Uint8Array) {
    this.key = createSecretKey(key);
  }

  /** Never repeats under one key; the buffer is valid until the next call. */
  nonce(): Uint8Array {
    if (this.#counter > 0xffff_ffff) throw new Error('The keys of this connection are used up');
    this.#nonce.writeUInt32BE(this.#counter, 8);
    this.#counter += 1;
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

  seal(plain: Uint8Array): Buffer {
    const cipher = createCipheriv(algorithm, this.#out.key, this.#out.nonce());
    const frame = Buffer.allocUnsafe(lengthBytes + plain.length + tagBytes);
    frame.writeUIntBE(plain.length + tagBytes, 0, lengthBytes);
    frame.set(cipher.update(plain), lengthBytes);
    cipher.final();
    frame.set(cipher.getAuthTag(), lengthBytes + plain.length);
    return frame;
  }

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
