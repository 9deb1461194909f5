/**
 * AES-256-CBC by tables, for messages as short as a text: the objects of node:crypto take longer to make than this takes. Tables tell of a
 * key by what they leave in the processor's caches, to who shares it and can measure often; here each key is for one message.
 */

const blockBytes = 16;
const rounds = 14;
const scheduleWords = 4 * (rounds + 1);

const box = new Uint8Array(256);
const inverseBox = new Uint8Array(256);
/** The box and the mixing of a column in one: four tables of 256, one for each row. */
const forward = new Int32Array(1024);
const backward = new Int32Array(1024);

const xtime = (byte: number): number => ((byte << 1) ^ (byte >= 0x80 ? 0x11b : 0)) & 0xff;

const product = (byte: number, factor: number): number => {
  let sum = 0;
  for (let left = factor, power = byte; left > 0; left >>= 1, power = xtime(power)) sum ^= (left & 1) * power;
  return sum;
};

const rotated = (word: number, bytes: number): number => (word >>> (8 * bytes)) | (word << (32 - 8 * bytes));

/** FIPS 197: the inverse in the field, found by powers of 3, and the affine map. */
const fillTables = (): void => {
  const powers = new Uint8Array(255);
  for (let at = 0, value = 1; at < 255; at += 1, value = product(value, 3)) powers[at] = value;
  box[0] = 0x63;
  for (let at = 0; at < 255; at += 1) {
    const inverse = powers[(255 - at) % 255]!;
    let mapped = 0x63;
    for (let turn = 0; turn < 5; turn += 1) mapped ^= ((inverse << turn) | (inverse >> (8 - turn))) & 0xff;
    box[powers[at]!] = mapped;
  }
  for (let byte = 0; byte < 256; byte += 1) inverseBox[box[byte]!] = byte;
  for (let byte = 0; byte < 256; byte += 1) {
    const there = box[byte]!;
    const back = inverseBox[byte]!;
    const mixed = (product(there, 2) << 24) | (there << 16) | (there << 8) | product(there, 3);
    const unmixed = (product(back, 14) << 24) | (product(back, 9) << 16) | (product(back, 13) << 8) | product(back, 11);
    forward[byte] = mixed;
    backward[byte] = unmixed;
    for (let row = 1; row < 4; row += 1) {
      forward[256 * row + byte] = rotated(mixed, row);
      backward[256 * row + byte] = rotated(unmixed, row);
    }
  }
};
fillTables();

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

const putWord = (bytes: Uint8Array, at: number, word: number): void => {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
};

/** A word of the last round: by the box alone. */
const last = (by: Uint8Array, a: number, b: number, c: number, d: number): number =>
  (by[a >>> 24]! << 24) | (by[(b >>> 16) & 255]! << 16) | (by[(c >>> 8) & 255]! << 8) | by[d & 255]!;

const mixed = (by: Int32Array, a: number, b: number, c: number, d: number): number =>
  by[a >>> 24]! ^ by[256 + ((b >>> 16) & 255)]! ^ by[512 + ((c >>> 8) & 255)]! ^ by[768 + (d & 255)]!;

// One for all: a text is worked on in one go.
const schedule = new Int32Array(scheduleWords);
const block = new Int32Array(4);

const expand = (key: Uint8Array): void => {
  for (let at = 0; at < 8; at += 1) schedule[at] = wordAt(key, 4 * at);
  for (let at = 8, constant = 1; at < scheduleWords; at += 1) {
    let word = schedule[at - 1]!;
    if (at % 8 === 0) {
      word = rotated(word, 3);
      word = last(box, word, word, word, word) ^ (constant << 24);
      constant = xtime(constant);
    } else if (at % 8 === 4) word = last(box, word, word, word, word);
    schedule[at] = schedule[at - 8]! ^ word;
  }
};

/** For the way back: the keys between the first and the last, unmixed. */
const unmixSchedule = (): void => {
  for (let at = 4; at < scheduleWords - 4; at += 1) {
    const word = schedule[at]!;
    const there = last(box, word, word, word, word);
    schedule[at] = mixed(backward, there, there, there, there);
  }
};

const encryptBlock = (): void => {
  let a = block[0]! ^ schedule[0]!;
  let b = block[1]! ^ schedule[1]!;
  let c = block[2]! ^ schedule[2]!;
  let d = block[3]! ^ schedule[3]!;
  for (let at = 4; at < scheduleWords - 4; at += 4) {
    const e = mixed(forward, a, b, c, d) ^ schedule[at]!;
    const f = mixed(forward, b, c, d, a) ^ schedule[at + 1]!;
    const g = mixed(forward, c, d, a, b) ^ schedule[at + 2]!;
    d = mixed(forward, d, a, b, c) ^ schedule[at + 3]!;
    [a, b, c] = [e, f, g];
  }
  block[0] = last(box, a, b, c, d) ^ schedule[56]!;
  block[1] = last(box, b, c, d, a) ^ schedule[57]!;
  block[2] = last(box, c, d, a, b) ^ schedule[58]!;
  block[3] = last(box, d, a, b, c) ^ schedule[59]!;
};

const decryptBlock = (): void => {
  let a = block[0]! ^ schedule[56]!;
  let b = block[1]! ^ schedule[57]!;
  let c = block[2]! ^ schedule[58]!;
  let d = block[3]! ^ schedule[59]!;
  for (let at = scheduleWords - 8; at > 0; at -= 4) {
    const e = mixed(backward, a, d, c, b) ^ schedule[at]!;
    const f = mixed(backward, b, a, d, c) ^ schedule[at + 1]!;
    const g = mixed(backward, c, b, a, d) ^ schedule[at + 2]!;
    d = mixed(backward, d, c, b, a) ^ schedule[at + 3]!;
    [a, b, c] = [e, f, g];
  }
  block[0] = last(inverseBox, a, d, c, b) ^ schedule[0]!;
  block[1] = last(inverseBox, b, a, d, c) ^ schedule[1]!;
  block[2] = last(inverseBox, c, b, a, d) ^ schedule[2]!;
  block[3] = last(inverseBox, d, c, b, a) ^ schedule[3]!;
};

/** With padding (PKCS #7). */
export const encryptCbc = (key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array): Uint8Array => {
  const padding = blockBytes - (plaintext.length % blockBytes);
  const out = Buffer.allocUnsafe(plaintext.length + padding);
  out.set(plaintext);
  out.fill(padding, plaintext.length);
  expand(key);
  for (let word = 0; word < 4; word += 1) block[word] = wordAt(iv, 4 * word);
  for (let at = 0; at < out.length; at += blockBytes) {
    for (let word = 0; word < 4; word += 1) block[word]! ^= wordAt(out, at + 4 * word);
    encryptBlock();
    for (let word = 0; word < 4; word += 1) putWord(out, at + 4 * word, block[word]!);
  }
  return out;
};

/** Null where the length or the padding is not one. */
export const decryptCbc = (key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array | null => {
  const { length } = ciphertext;
  if (length === 0 || length % blockBytes !== 0) return null;
  const out = new Uint8Array(length);
  expand(key);
  unmixSchedule();
  for (let at = 0; at < length; at += blockBytes) {
    for (let word = 0; word < 4; word += 1) block[word] = wordAt(ciphertext, at + 4 * word);
    decryptBlock();
    const [before, from] = at === 0 ? [iv, 0] : [ciphertext, at - blockBytes];
    for (let word = 0; word < 4; word += 1) putWord(out, at + 4 * word, block[word]! ^ wordAt(before, from + 4 * word));
  }
  const padding = out[length - 1]!;
  if (padding === 0 || padding > blockBytes) return null;
  for (let at = length - padding; at < length; at += 1) if (out[at] !== padding) return null;
  return out.subarray(0, length - padding);
};
