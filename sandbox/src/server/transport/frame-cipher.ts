/**
 * AES-256-GCM for one direction of a connection, made for many small frames. Their nonces are a counter, so the key stream
 * of the next frames is made in one call: a cipher object for each frame costs more than all else that is done with it.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { endianness } from 'node:os';

export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
/** Of the key stream of a small frame, prepared with that of others: the first block is for the tag, the others for text. */
const SMALL_BLOCKS = 16;
const SMALL_BYTES = (SMALL_BLOCKS - 1) * BLOCK_BYTES;
/** Frames that are prepared at a time. */
const AHEAD = 16;
/** Of a larger frame, whose key stream is made when it comes; those above are left to node:crypto. */
const LARGE_BLOCKS = 256;
const LARGE_BYTES = (LARGE_BLOCKS - 1) * BLOCK_BYTES;

const bigEndian = (value: number): number =>
  littleEndian ? ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0 : value;
const littleEndian = endianness() === 'LE';

/** The blocks that key streams are made of: nonce and number of the block, big-endian. Only the nonces differ. */
const blocksOf = (frames: number, blocks: number): Uint32Array => {
  const words = new Uint32Array(frames * blocks * 4);
  for (let block = 0; block < frames * blocks; block += 1) words[block * 4 + 3] = bigEndian((block % blocks) + 1);
  return words;
};
const small = blocksOf(AHEAD, SMALL_BLOCKS);
const large = blocksOf(1, LARGE_BLOCKS);
const smallBytes = new Uint8Array(small.buffer);
const largeBytes = new Uint8Array(large.buffer);

const nonceOf = (counter: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter, 8);
  return nonce;
};

/** GCM's polynomial: what a bit that is shifted out at the low end comes back as, in the highest word. */
const POLYNOMIAL = 0xe1000000;

/** What eight bits that are shifted out do to the highest word. */
const REDUCED = Int32Array.from({ length: 256 }, (_, bits) => {
  let high = 0;
  for (let bit = 0; bit < 8; bit += 1) high = (high >>> 1) ^ (((bits >>> bit) & 1) === 0 ? 0 : POLYNOMIAL);
  return high;
});

/** Multiples of the hash key by each eight bits, as four words each. */
const tableOf = (hashKey: Buffer): Int32Array => {
  const table = new Int32Array(1024);
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
const hash = new Int32Array(4);

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

/** Takes whole blocks in: adds each to the hash, and multiplies by the key, eight bits at a time from the low end. */
const absorb = (table: Int32Array, bytes: Uint8Array, from: number, to: number): void => {
  let a = hash[0]!;
  let b = hash[1]!;
  let c = hash[2]!;
  let d = hash[3]!;
  for (let at = from; at < to; at += BLOCK_BYTES) {
    const first = a ^ wordAt(bytes, at);
    const second = b ^ wordAt(bytes, at + 4);
    const third = c ^ wordAt(bytes, at + 8);
    let value = d ^ wordAt(bytes, at + 12);
    a = b = c = d = 0;
    for (let word = 3; word >= 0; word -= 1) {
      for (let shift = 0; shift < 32; shift += 8) {
        const reduced = REDUCED[d & 255]!;
        const entry = ((value >>> shift) & 255) << 2;
        d = ((c << 24) | (d >>> 8)) ^ table[entry + 3]!;
        c = ((b << 24) | (c >>> 8)) ^ table[entry + 2]!;
        b = ((a << 24) | (b >>> 8)) ^ table[entry + 1]!;
        a = (a >>> 8) ^ reduced ^ table[entry]!;
      }
      value = word === 3 ? third : word === 2 ? second : first;
    }
  }
  hash[0] = a;
  hash[1] = b;
  hash[2] = c;
  hash[3] = d;
};

/** The last bytes of a text that fill no block, and then its length in bits. */
const last = Buffer.alloc(BLOCK_BYTES);

/** The key stream of the present frame; one for all, since a frame is sealed or opened in one go. */
let keyStream: Uint8Array = largeBytes;

/** Writes the hash of a ciphertext, sealed with the first block of its key stream, which begins at `keyAt`. */
const authenticate = (
  table: Int32Array,
  bytes: Uint8Array,
  from: number,
  to: number,
  keyAt: number,
  tag: Uint8Array,
  tagAt: number,
): void => {
  hash.fill(0);
  const whole = to - ((to - from) % BLOCK_BYTES);
  absorb(table, bytes, from, whole);
  if (whole < to) {
    last.fill(0);
    for (let at = whole; at < to; at += 1) last[at - whole] = bytes[at]!;
    absorb(table, last, 0, BLOCK_BYTES);
  }
  last.fill(0);
  last.writeUInt32BE((to - from) * 8, BLOCK_BYTES - 4);
  absorb(table, last, 0, BLOCK_BYTES);
  for (let byte = 0; byte < TAG_BYTES; byte += 1) {
    tag[tagAt + byte] = (hash[byte >> 2]! >>> (24 - (byte & 3) * 8)) ^ keyStream[keyAt + byte]!;
  }
};

const expected = new Uint8Array(TAG_BYTES);

/** In the same time whichever bytes differ. */
const isExpected = (bytes: Uint8Array, at: number): boolean => {
  let different = 0;
  for (let byte = 0; byte < TAG_BYTES; byte += 1) different |= expected[byte]! ^ bytes[at + byte]!;
  return different === 0;
};

export class FrameCipher {
  readonly #key;
  readonly #blocks: Cipheriv;
  readonly #table: Int32Array;
  #counter = 0;
  /** Of the frames from `#first` to before `#end`. */
  #prepared: Uint8Array = largeBytes;
  #first = 0;
  #end = 0;

  constructor(rawKey: Uint8Array) {
    this.#key = createSecretKey(rawKey);
    this.#blocks = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    this.#table = tableOf(this.#blocks.update(Buffer.alloc(BLOCK_BYTES)));
  }

  /** Writes the sealed text to `out`, from `at` on: as many bytes as the text has, and those of the tag. */
  seal(plain: Uint8Array, out: Uint8Array, at: number): void {
    const end = at + plain.length;
    if (plain.length > LARGE_BYTES) {
      const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#counter));
      this.#counter += 1;
      out.set(cipher.update(plain), at);
      cipher.final();
      out.set(cipher.getAuthTag(), end);
      return;
    }
    const keyAt = this.#next(plain.length);
    for (let byte = 0, key = keyAt + BLOCK_BYTES; byte < plain.length; byte += 1)
      out[at + byte] = plain[byte]! ^ keyStream[key + byte]!;
    authenticate(this.#table, out, at, end, keyAt, out, end);
  }

  /** The text of the bytes from `from` to `to`. Throws where they were not sealed with this key, or not as the next ones. */
  open(bytes: Buffer, from: number, to: number): Buffer {
    const end = to - TAG_BYTES;
    const length = end - from;
    if (length < 0) throw new Error('a frame too short to be one');
    if (length > LARGE_BYTES) {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonceOf(this.#counter));
      this.#counter += 1;
      const opened = decipher.setAuthTag(bytes.subarray(end, to)).update(bytes.subarray(from, end));
      decipher.final();
      return opened;
    }
    const keyAt = this.#next(length);
    authenticate(this.#table, bytes, from, end, keyAt, expected, 0);
    if (!isExpected(bytes, end)) throw new Error('a frame that was not sealed with the key of the connection');
    const plain = Buffer.allocUnsafe(length);
    for (let byte = 0, key = keyAt + BLOCK_BYTES; byte < length; byte += 1)
      plain[byte] = bytes[from + byte]! ^ keyStream[key + byte]!;
    return plain;
  }

  /** Makes the key stream of the next frame, which has so many bytes; where it begins. */
  #next(length: number): number {
    const frame = this.#counter;
    this.#counter += 1;
    if (length > SMALL_BYTES) {
      keyStream = this.#large(frame, length);
      return 0;
    }
    if (frame >= this.#end) this.#prepare(frame);
    keyStream = this.#prepared;
    return (frame - this.#first) * SMALL_BLOCKS * BLOCK_BYTES;
  }

  #large(frame: number, length: number): Uint8Array {
    const end = 4 * (1 + Math.ceil(length / BLOCK_BYTES));
    const nonce = bigEndian(frame);
    for (let word = 2; word < end; word += 4) large[word] = nonce;
    return this.#blocks.update(largeBytes.subarray(0, end * 4));
  }

  #prepare(frame: number): void {
    for (let word = 2; word < small.length; word += 4)
      small[word] = bigEndian(frame + Math.floor(word / (4 * SMALL_BLOCKS)));
    this.#first = frame;
    this.#end = frame + AHEAD;
    this.#prepared = this.#blocks.update(smallBytes);
  }
}
