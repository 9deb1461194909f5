/** HMAC with SHA-256 for short inputs: an object of node:crypto takes longer to make than these take for a message. */

const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate += 1) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}

/** The first 32 bits of a fraction. */
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32);

// FIPS 180-4: from the roots of the first primes.
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

export const hashBytes = 32;
const hashWords = 8;
const blockBytes = 64;
const blockWords = 16;

/** One for all: a hash is made in one go. The first 16 words are the block to be taken in. */
const words = new Int32Array(64);
const state = new Int32Array(hashWords);

const compress = (): void => {
  for (let at = blockWords; at < 64; at += 1) {
    const x = words[at - 15]!;
    const y = words[at - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[at] = (words[at - 16]! + words[at - 7]! + s0 + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let round = 0; round < 64; round += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + constants[round]! + words[round]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (c & (a ^ b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
};

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

/** What does not fill a block yet. */
const rest = new Uint8Array(blockBytes);
const keyWords = new Int32Array(hashWords);

/** A key of 32 bytes, padded. */
const takeKey = (padding: number, into: Int32Array): void => {
  for (let word = 0; word < hashWords; word += 1) words[word] = keyWords[word]! ^ padding;
  words.fill(padding, hashWords, blockWords);
  state.set(initial);
  compress();
  into.set(state);
};

/** HMAC (RFC 2104) under one key of 32 bytes at a time: `begin`, what it is made of by `add`, and `end`. One at a time among all. */
export class Hmac {
  readonly #inner = new Int32Array(hashWords);
  readonly #outer = new Int32Array(hashWords);
  #filled = 0;
  #taken = 0;

  setKey(bytes: Uint8Array, at = 0): this {
    for (let word = 0; word < hashWords; word += 1) keyWords[word] = wordAt(bytes, at + 4 * word);
    takeKey(0x36363636, this.#inner);
    takeKey(0x5c5c5c5c, this.#outer);
    return this;
  }

  begin(): this {
    state.set(this.#inner);
    this.#filled = 0;
    this.#taken = blockBytes;
    return this;
  }

  add(bytes: Uint8Array, from = 0, to = bytes.length): this {
    this.#taken += to - from;
    for (let at = from; at < to;) {
      if (this.#filled === 0 && at + blockBytes <= to) {
        for (let word = 0; word < blockWords; word += 1) words[word] = wordAt(bytes, at + 4 * word);
        compress();
        at += blockBytes;
        continue;
      }
      rest[this.#filled] = bytes[at]!;
      this.#filled += 1;
      at += 1;
      if (this.#filled === blockBytes) this.#takeRest();
    }
    return this;
  }

  addByte(byte: number): this {
    rest[this.#filled] = byte;
    this.#filled += 1;
    this.#taken += 1;
    if (this.#filled === blockBytes) this.#takeRest();
    return this;
  }

  /** Writes the first `length` bytes of it. */
  end(out: Uint8Array, at = 0, length = hashBytes): void {
    rest[this.#filled] = 0x80;
    rest.fill(0, this.#filled + 1);
    if (this.#filled + 1 > blockBytes - 8) {
      this.#takeRest();
      rest.fill(0);
    }
    for (let word = 0; word < blockWords - 1; word += 1) words[word] = wordAt(rest, 4 * word);
    words[blockWords - 1] = this.#taken * 8;
    compress();
    words.set(state);
    words[hashWords] = 0x80000000;
    words.fill(0, hashWords + 1, blockWords - 1);
    words[blockWords - 1] = (blockBytes + hashBytes) * 8;
    state.set(this.#outer);
    compress();
    for (let byte = 0; byte < length; byte += 1) out[at + byte] = state[byte >> 2]! >>> (24 - (byte & 3) * 8);
  }

  #takeRest(): void {
    for (let word = 0; word < blockWords; word += 1) words[word] = wordAt(rest, 4 * word);
    compress();
    this.#filled = 0;
  }
}
