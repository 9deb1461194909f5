/**
 * AES-256-GCM for one direction of a connection, made for many small frames. Their nonces are a counter, so the key stream
 * of the next frames is made in one call: a cipher object for each frame costs more than all else that is done with it.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, createSecretKey, timingSafeEqual } from 'node:crypto';
import { endianness } from 'node:os';

export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
/** Of the key stream of a frame: the first block is for the tag, the others for so many bytes of text. */
const FRAME_BLOCKS = 64;
const SMALL_BYTES = (FRAME_BLOCKS - 1) * BLOCK_BYTES;
const FRAME_BYTES = FRAME_BLOCKS * BLOCK_BYTES;
/** Frames that are prepared at a time. */
const AHEAD = 4;

/** The blocks that key streams are made of: nonce and number of the block, big-endian. Only the nonces differ. */
const blocks = new Uint8Array(AHEAD * FRAME_BYTES);
const blockWords = new Uint32Array(blocks.buffer);
const bigEndian = (value: number): number =>
  littleEndian ? ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0 : value;
const littleEndian = endianness() === 'LE';
for (let block = 0; block < AHEAD * FRAME_BLOCKS; block += 1) {
  blockWords[block * 4 + 3] = bigEndian((block % FRAME_BLOCKS) + 1);
}

const nonceOf = (counter: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter, 8);
  return nonce;
};

/** GCM's polynomial: what a bit that is shifted out at the low end comes back as, in the highest word. */
const POLYNOMIAL = 0xe1000000;

/** What eight bits that are shifted out do to the highest word. */
const REDUCED = Uint32Array.from({ length: 256 }, (_, bits) => {
  let high = 0;
  for (let bit = 0; bit < 8; bit += 1) high = (high >>> 1) ^ (((bits >>> bit) & 1) === 0 ? 0 : POLYNOMIAL);
  return high;
});

/** Multiples of the hash key by each eight bits, as four words each. */
const tableOf = (hashKey: Buffer): Uint32Array => {
  const table = new Uint32Array(1024);
  let words = [0, 4, 8, 12].map((at) => hashKey.readUInt32BE(at));
  for (let entry = 128; entry > 0; entry >>= 1) {
    table.set(words, entry * 4);
    const [a = 0, b = 0, c = 0, d = 0] = words;
    const carried = (d & 1) === 0 ? 0 : POLYNOMIAL;
    words = [(a >>> 1) ^ carried, (a << 31) | (b >>> 1), (b << 31) | (c >>> 1), (c << 31) | (d >>> 1)];
  }
  for (let high = 2; high < 256; high *= 2) {
    for (let word = 4; word < high * 4; word += 1)
      table[high * 4 + word] = table[high * 4 + (word & 3)]! ^ table[word]!;
  }
  return table;
};

/** The words of a hash under way; one for all, since a frame is hashed in one go. */
const hash = new Uint32Array(4);

/** Takes one block in: adds it to the hash, and multiplies by the key, eight bits at a time from the low end. */
const absorb = (table: Uint32Array, w0: number, w1: number, w2: number, w3: number): void => {
  hash[0]! ^= w0;
  hash[1]! ^= w1;
  hash[2]! ^= w2;
  hash[3]! ^= w3;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let word = 3; word >= 0; word -= 1) {
    const value = hash[word]!;
    for (let shift = 0; shift < 32; shift += 8) {
      const reduced = REDUCED[d & 255]!;
      const entry = ((value >>> shift) & 255) << 2;
      d = ((c << 24) | (d >>> 8)) ^ table[entry + 3]!;
      c = ((b << 24) | (c >>> 8)) ^ table[entry + 2]!;
      b = ((a << 24) | (b >>> 8)) ^ table[entry + 1]!;
      a = (a >>> 8) ^ reduced ^ table[entry]!;
    }
  }
  hash[0] = a;
  hash[1] = b;
  hash[2] = c;
  hash[3] = d;
};

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

const absorbAt = (table: Uint32Array, bytes: Uint8Array, at: number): void =>
  absorb(table, wordAt(bytes, at), wordAt(bytes, at + 4), wordAt(bytes, at + 8), wordAt(bytes, at + 12));

const last = new Uint8Array(BLOCK_BYTES);

/** The hash of a ciphertext, sealed with the first block of its key stream. */
const authenticate = (table: Uint32Array, text: Uint8Array, keyStream: Uint8Array, tag: Uint8Array): void => {
  hash.fill(0);
  const whole = text.length - (text.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) absorbAt(table, text, at);
  if (whole < text.length) {
    last.fill(0);
    for (let at = whole; at < text.length; at += 1) last[at - whole] = text[at]!;
    absorbAt(table, last, 0);
  }
  absorb(table, 0, 0, 0, text.length * 8);
  for (let byte = 0; byte < TAG_BYTES; byte += 1) {
    tag[byte] = (hash[byte >> 2]! >>> (24 - (byte & 3) * 8)) ^ keyStream[byte]!;
  }
};

const xor = (from: Uint8Array, keyStream: Uint8Array, to: Uint8Array): void => {
  for (let at = 0; at < from.length; at += 1) to[at] = from[at]! ^ keyStream[BLOCK_BYTES + at]!;
};

const expected = Buffer.alloc(TAG_BYTES);

export class FrameCipher {
  readonly #key;
  readonly #blocks: Cipheriv;
  readonly #table: Uint32Array;
  #counter = 0;
  #keyStream: Uint8Array = new Uint8Array(0);
  /** The frame that the key stream begins with. */
  #first = 0;

  constructor(rawKey: Uint8Array) {
    this.#key = createSecretKey(rawKey);
    this.#blocks = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    this.#table = tableOf(this.#blocks.update(Buffer.alloc(BLOCK_BYTES)));
  }

  /** The text and its tag, in parts that follow each other. */
  seal(plain: Uint8Array): readonly Uint8Array[] {
    if (plain.length > SMALL_BYTES) {
      const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#counter));
      this.#counter += 1;
      const text = cipher.update(plain);
      cipher.final();
      return [text, cipher.getAuthTag()];
    }
    const keyStream = this.#next();
    const sealed = new Uint8Array(plain.length + TAG_BYTES);
    const text = sealed.subarray(0, plain.length);
    xor(plain, keyStream, text);
    authenticate(this.#table, text, keyStream, sealed.subarray(plain.length));
    return [sealed];
  }

  /** Throws where the frame was not sealed with this key, or not as the next one. */
  open(sealed: Uint8Array): Buffer {
    const length = sealed.length - TAG_BYTES;
    if (length < 0) throw new Error('a frame too short to be one');
    const text = sealed.subarray(0, length);
    const tag = sealed.subarray(length);
    if (length > SMALL_BYTES) {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonceOf(this.#counter)).setAuthTag(tag);
      this.#counter += 1;
      const opened = decipher.update(text);
      decipher.final();
      return opened;
    }
    const keyStream = this.#next();
    authenticate(this.#table, text, keyStream, expected);
    if (!timingSafeEqual(expected, tag)) throw new Error('a frame that was not sealed with the key of the connection');
    const plain = Buffer.allocUnsafeSlow(length);
    xor(text, keyStream, plain);
    return plain;
  }

  /** The key stream of the next frame. */
  #next(): Uint8Array {
    if (this.#counter >= this.#first + this.#keyStream.length / FRAME_BYTES) this.#prepare();
    const at = (this.#counter - this.#first) * FRAME_BYTES;
    this.#counter += 1;
    return this.#keyStream.subarray(at, at + FRAME_BYTES);
  }

  #prepare(): void {
    for (let frame = 0; frame < AHEAD; frame += 1) {
      const counter = bigEndian(this.#counter + frame);
      const first = frame * FRAME_BLOCKS;
      for (let block = first; block < first + FRAME_BLOCKS; block += 1) blockWords[block * 4 + 2] = counter;
    }
    this.#first = this.#counter;
    this.#keyStream = this.#blocks.update(blocks);
  }
}
