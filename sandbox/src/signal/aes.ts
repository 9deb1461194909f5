/** AES-256 by tables, for keys that are used once: node:crypto takes longer to make an object than these take for a message. */

const BLOCK_BYTES = 16;
const ROUNDS = 14;
const KEY_WORDS = 4 * (ROUNDS + 1);

/** One direction: bytes by the box alone, and as columns that are mixed as well. */
interface Direction {
  readonly box: Uint8Array;
  readonly mixed: Int32Array;
}

const doubled = (byte: number): number => ((byte << 1) ^ (byte & 0x80 ? 0x11b : 0)) & 0xff;

/** In the field of AES. */
const times = (a: number, b: number): number => {
  let product = 0;
  for (let left = b, power = a; left > 0; left >>= 1, power = doubled(power)) if (left & 1) product ^= power;
  return product;
};

const makeDirections = (): readonly [Direction, Direction] => {
  const forward = { box: new Uint8Array(256), mixed: new Int32Array(256) };
  const backward = { box: new Uint8Array(256), mixed: new Int32Array(256) };
  // 3 makes all bytes but 0 by its powers, and 0xf6 is its inverse: so each byte meets its inverse.
  for (let byte = 1, inverse = 1, step = 0; step < 255; step += 1) {
    const spread = inverse * 0x101;
    const sum = spread ^ (spread >> 4) ^ (spread >> 5) ^ (spread >> 6) ^ (spread >> 7);
    forward.box[byte] = (sum & 0xff) ^ 0x63;
    [byte, inverse] = [times(byte, 3), times(inverse, 0xf6)];
  }
  forward.box[0] = 0x63;
  for (const [byte, value] of forward.box.entries()) backward.box[value] = byte;
  for (let byte = 0; byte < 256; byte += 1) {
    const [s, i] = [forward.box[byte]!, backward.box[byte]!];
    forward.mixed[byte] = (times(s, 2) << 24) | (s << 16) | (s << 8) | times(s, 3);
    backward.mixed[byte] = (times(i, 14) << 24) | (times(i, 9) << 16) | (times(i, 13) << 8) | times(i, 11);
  }
  return [forward, backward];
};

const [forward, backward] = makeDirections();

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

const substituted = (box: Uint8Array, word: number): number =>
  (box[word >>> 24]! << 24) | (box[(word >>> 16) & 255]! << 16) | (box[(word >>> 8) & 255]! << 8) | box[word & 255]!;

const mixedBy = (mixed: Int32Array, a: number, b: number, c: number, d: number): number => {
  const second = mixed[(b >>> 16) & 255]!;
  const third = mixed[(c >>> 8) & 255]!;
  const fourth = mixed[d & 255]!;
  return (
    mixed[a >>> 24]! ^
    ((second >>> 8) | (second << 24)) ^
    ((third >>> 16) | (third << 16)) ^
    ((fourth >>> 24) | (fourth << 8))
  );
};

const boxedBy = (box: Uint8Array, a: number, b: number, c: number, d: number): number =>
  (box[a >>> 24]! << 24) | (box[(b >>> 16) & 255]! << 16) | (box[(c >>> 8) & 255]! << 8) | box[d & 255]!;

/** One for all, as the words of the block: a text is worked on in one go. */
const keys = new Int32Array(KEY_WORDS);
const reversed = new Int32Array(KEY_WORDS);
const words = new Int32Array(4);

const expand = (key: Uint8Array, at: number): void => {
  for (let word = 0; word < 8; word += 1) keys[word] = wordAt(key, at + word * 4);
  let constant = 1;
  for (let word = 8; word < KEY_WORDS; word += 1) {
    let value = keys[word - 1]!;
    if (word % 8 === 0) {
      value = substituted(forward.box, (value << 8) | (value >>> 24)) ^ (constant << 24);
      constant = doubled(constant);
    } else if (word % 8 === 4) value = substituted(forward.box, value);
    keys[word] = keys[word - 8]! ^ value;
  }
};

/** For the way back: the last round first, mixed but for the outer ones, and with the columns as `crypt` wants them. */
const reverse = (): void => {
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let column = 0; column < 4; column += 1) {
      const word = keys[(ROUNDS - round) * 4 + column]!;
      const outer = round === 0 || round === ROUNDS;
      const box = outer ? 0 : substituted(forward.box, word);
      reversed[round * 4 + ((4 - column) & 3)] = outer ? word : mixedBy(backward.mixed, box, box, box, box);
    }
  }
};

/** The block in `words`. The way back is the same with the second and the fourth column in each other's place. */
const crypt = ({ box, mixed }: Direction, by: Int32Array): void => {
  let a = words[0]! ^ by[0]!;
  let b = words[1]! ^ by[1]!;
  let c = words[2]! ^ by[2]!;
  let d = words[3]! ^ by[3]!;
  let at = 4;
  for (; at < ROUNDS * 4; at += 4) {
    const e = mixedBy(mixed, a, b, c, d) ^ by[at]!;
    const f = mixedBy(mixed, b, c, d, a) ^ by[at + 1]!;
    const g = mixedBy(mixed, c, d, a, b) ^ by[at + 2]!;
    d = mixedBy(mixed, d, a, b, c) ^ by[at + 3]!;
    a = e;
    b = f;
    c = g;
  }
  words[0] = boxedBy(box, a, b, c, d) ^ by[at]!;
  words[1] = boxedBy(box, b, c, d, a) ^ by[at + 1]!;
  words[2] = boxedBy(box, c, d, a, b) ^ by[at + 2]!;
  words[3] = boxedBy(box, d, a, b, c) ^ by[at + 3]!;
};

const putWord = (bytes: Uint8Array, at: number, word: number): void => {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
};

/** AES-256-CBC with padding (PKCS #7). */
export const sealCbc = (key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array): Uint8Array => {
  const padding = BLOCK_BYTES - (plaintext.length % BLOCK_BYTES);
  const out = new Uint8Array(plaintext.length + padding);
  out.set(plaintext);
  out.fill(padding, plaintext.length);
  expand(key, 0);
  for (let column = 0; column < 4; column += 1) words[column] = wordAt(iv, column * 4);
  for (let at = 0; at < out.length; at += BLOCK_BYTES) {
    for (let column = 0; column < 4; column += 1) words[column]! ^= wordAt(out, at + column * 4);
    crypt(forward, keys);
    for (let column = 0; column < 4; column += 1) putWord(out, at + column * 4, words[column]!);
  }
  return out;
};

/** The text of the bytes from `from` to `to`, with key and IV as they are in `key`. Throws where the padding is not one. */
export const openCbcAt = (
  key: Uint8Array,
  cipherKeyAt: number,
  ivAt: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): Buffer => {
  const length = to - from;
  if (length <= 0 || length % BLOCK_BYTES !== 0) throw new Error('a ciphertext of a wrong length');
  const out = Buffer.allocUnsafe(length);
  expand(key, cipherKeyAt);
  reverse();
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    for (let column = 0; column < 4; column += 1) words[(4 - column) & 3] = wordAt(bytes, from + at + column * 4);
    crypt(backward, reversed);
    for (let column = 0; column < 4; column += 1) {
      const before = at === 0 ? wordAt(key, ivAt + column * 4) : wordAt(bytes, from + at - BLOCK_BYTES + column * 4);
      putWord(out, at + column * 4, words[(4 - column) & 3]! ^ before);
    }
  }
  const padding = out[length - 1]!;
  let wrong = padding === 0 || padding > BLOCK_BYTES;
  for (let at = length - 1; at >= length - padding && !wrong; at -= 1) wrong = out[at] !== padding;
  if (wrong) throw new Error('a ciphertext with a wrong padding');
  return out.subarray(0, length - padding);
};

export const openCbc = (key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer => {
  const both = new Uint8Array(48);
  both.set(key);
  both.set(iv, 32);
  return openCbcAt(both, 0, 32, ciphertext, 0, ciphertext.length);
};
