/**
 * The cipher of the frames of a connection, once its handshake is done: AES-256-GCM under a counter for each direction. Frames are short, and Node
 * takes ten times as long to set up a cipher as to use it, so there is one for each direction: for the blocks, of which the rest is made here.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { blockBytes, hashInto, type HashTable, hashTableOf } from './galois-hash.ts';

export const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** What is longer goes through Node's own. */
export const smallBytes = 1_024;

/** Blocks from which a key stream is made: three words that tell the frame, one that counts the blocks of a frame, from 1. */
const blocks = new DataView(new ArrayBuffer(16 * smallBytes));
const blockCounters = new Uint8Array(blocks.buffer);

/** With the block that the tag is sealed with. */
const streamBytes = (length: number): number => (Math.ceil(length / blockBytes) + 1) * blockBytes;

/** The blocks of one frame; returns where they end. */
const putBlocks = (begin: number, counter: number, length: number): number => {
  const end = begin + streamBytes(length);
  for (let at = begin, number = 1; at < end; at += blockBytes, number += 1) {
    blocks.setUint32(at + 8, counter);
    blocks.setUint32(at + 12, number);
  }
  return end;
};

/** The key stream of a frame: what its tag is sealed with, and then a byte for each of the text. */
interface KeyStream {
  readonly bytes: Buffer;
  readonly at: number;
}

/** Those of frames that follow each other, made in one go. */
interface Ahead {
  readonly bytes: Buffer;
  /** The number of the first frame. */
  readonly first: number;
  /** Of each frame: its length, and where its key stream is. */
  readonly lengths: readonly number[];
  readonly places: readonly number[];
}

const tag = new Uint8Array(tagBytes);

/** One direction. */
class Direction {
  readonly #key: KeyObject;
  readonly #blocks: Cipheriv;
  readonly #table: HashTable;
  #counter = 0;
  #ahead: Ahead | null = null;

  constructor(key: Uint8Array) {
    // As an object: of raw bytes Node finds out each time what they are.
    this.#key = createSecretKey(key);
    this.#blocks = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    this.#table = hashTableOf(this.#blocks.update(Buffer.alloc(blockBytes)));
  }

  get key(): KeyObject {
    return this.#key;
  }

  /** Makes the key streams of the next frames together, as far as there is room: the call costs more than the bytes. */
  expect(lengths: readonly number[]): void {
    const places: number[] = [];
    let end = 0;
    for (const length of lengths) {
      if (length > smallBytes || end + streamBytes(length) > blocks.byteLength) break;
      places.push(end);
      end = putBlocks(end, this.#counter + places.length - 1, length);
    }
    const bytes = this.#blocks.update(blockCounters.subarray(0, end));
    this.#ahead = { bytes, first: this.#counter, lengths, places };
  }

  /** Of the next frame. */
  keyStream(length: number): KeyStream {
    const counter = this.#next();
    const ahead = this.#ahead;
    if (ahead !== null) {
      const { bytes, lengths, places } = ahead;
      const index = counter - ahead.first;
      if (index + 1 >= places.length) this.#ahead = null;
      if (index < places.length && lengths[index] === length) return { bytes, at: places[index]! };
    }
    const end = putBlocks(0, counter, length);
    return { bytes: this.#blocks.update(blockCounters.subarray(0, end)), at: 0 };
  }

  nonce(): Uint8Array {
    const nonce = new DataView(new ArrayBuffer(12));
    nonce.setUint32(8, this.#next());
    return new Uint8Array(nonce.buffer);
  }

  /** The tag of a ciphertext: in a place that is used again for the next one. */
  tagOf(bytes: Uint8Array, begin: number, end: number, stream: KeyStream): Uint8Array {
    hashInto(tag, this.#table, bytes, begin, end);
    for (let at = 0; at < tagBytes; at += 1) tag[at]! ^= stream.bytes[stream.at + at]!;
    return tag;
  }

  #next(): number {
    // Nothing is ever encrypted with the same key under the same number again.
    if (this.#counter > 0xffff_ffff) throw new Error('The keys of this connection are used up');
    return this.#counter++;
  }
}

export class FrameCipher {
  readonly #out: Direction;
  readonly #in: Direction;

  constructor(outgoing: Uint8Array, incoming: Uint8Array) {
    this.#out = new Direction(outgoing);
    this.#in = new Direction(incoming);
  }

  /** These will be sealed next, one after the other. */
  expectOut(frames: readonly Uint8Array[]): void {
    this.#out.expect(frames.map(({ length }) => length));
  }

  /** These will be opened next, one after the other. */
  expectIn(sealed: readonly Uint8Array[]): void {
    this.#in.expect(sealed.map(({ length }) => length - tagBytes));
  }

  /** Writes the ciphertext and its tag, `tagBytes` longer than the plaintext, into `target`. */
  seal(plain: Uint8Array, target: Uint8Array, at: number): void {
    const { length } = plain;
    if (length > smallBytes) {
      const cipher = createCipheriv(algorithm, this.#out.key, this.#out.nonce());
      target.set(cipher.update(plain), at);
      cipher.final();
      target.set(cipher.getAuthTag(), at + length);
      return;
    }
    const stream = this.#out.keyStream(length);
    const [bytes, from] = [stream.bytes, stream.at + blockBytes];
    for (let byte = 0; byte < length; byte += 1) target[at + byte] = plain[byte]! ^ bytes[from + byte]!;
    target.set(this.#out.tagOf(target, at, at + length, stream), at + length);
  }

  /** Throws where it is not what was sealed, or not the next one. */
  open(sealed: Uint8Array): Buffer {
    const length = sealed.length - tagBytes;
    if (length < 0) throw new Error('A frame too short to be one');
    if (length > smallBytes) {
      const decipher = createDecipheriv(algorithm, this.#in.key, this.#in.nonce());
      decipher.setAuthTag(sealed.subarray(length));
      const plain = decipher.update(sealed.subarray(0, length));
      decipher.final();
      return plain;
    }
    const stream = this.#in.keyStream(length);
    const expected = this.#in.tagOf(sealed, 0, length, stream);
    // In the same time whichever bytes differ.
    let different = 0;
    for (let byte = 0; byte < tagBytes; byte += 1) different |= expected[byte]! ^ sealed[length + byte]!;
    if (different !== 0) throw new Error('A frame that was changed on its way');
    const plain = Buffer.allocUnsafe(length);
    const [bytes, from] = [stream.bytes, stream.at + blockBytes];
    for (let byte = 0; byte < length; byte += 1) plain[byte] = sealed[byte]! ^ bytes[from + byte]!;
    return plain;
  }
}
