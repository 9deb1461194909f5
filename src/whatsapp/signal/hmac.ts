/** HMAC with SHA-256 of short inputs, of two hashes in one go each: an object of node:crypto takes three times as long to make. */
import { hash } from 'node:crypto';

export const hashBytes = 32;
const blockBytes = 64;
/** Of inputs; it grows. */
const room = 512;

/** RFC 2104, under one key of 32 bytes at a time: `begin`, what it is made of by `add`, and `end`. */
export class Hmac {
  #inner = Buffer.alloc(blockBytes + room, 0x36);
  readonly #outer = Buffer.alloc(blockBytes + hashBytes, 0x5c);
  #length = blockBytes;
  /** What was hashed last time: mostly inputs of one Hmac are equally long. */
  #hashed = this.#inner;

  setKey(bytes: Uint8Array, at = 0): this {
    const [inner, outer] = [this.#inner, this.#outer];
    for (let byte = 0; byte < hashBytes; byte += 1) {
      const key = bytes[at + byte]!;
      inner[byte] = key ^ 0x36;
      outer[byte] = key ^ 0x5c;
    }
    return this;
  }

  begin(): this {
    this.#length = blockBytes;
    return this;
  }

  add(bytes: Uint8Array, from = 0, to = bytes.length): this {
    const length = to - from;
    this.#reserve(length);
    if (length > hashBytes + 1) this.#inner.set(bytes.subarray(from, to), this.#length);
    else for (let byte = 0; byte < length; byte += 1) this.#inner[this.#length + byte] = bytes[from + byte]!;
    this.#length += length;
    return this;
  }

  addByte(byte: number): this {
    this.#reserve(1);
    this.#inner[this.#length] = byte;
    this.#length += 1;
    return this;
  }

  /** Writes the first `length` bytes of it. */
  end(out: Uint8Array, at = 0, length = hashBytes): void {
    if (this.#hashed.length !== this.#length) this.#hashed = this.#inner.subarray(0, this.#length);
    const inner = hash('sha256', this.#hashed, 'binary');
    this.#outer.write(inner, blockBytes, 'binary');
    const outer = hash('sha256', this.#outer, 'binary');
    for (let byte = 0; byte < length; byte += 1) out[at + byte] = outer.charCodeAt(byte);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#inner.length) return;
    this.#inner = Buffer.concat([this.#inner.subarray(0, this.#length)], 2 * (this.#length + more));
    this.#hashed = this.#inner;
  }
}
