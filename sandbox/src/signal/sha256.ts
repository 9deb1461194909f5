/** SHA-256 for short inputs, as HMAC and HKDF: an object of node:crypto takes longer to make than these take for a message. */

const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate += 1)
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);

/** The first 32 bits of a fraction. */
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32);

const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

export const HASH_BYTES = 32;
const BLOCK_BYTES = 64;

const schedule = new Int32Array(64);
/** The hash under way, and what does not fill a block yet. One for all: a hash is made in one go. */
const state = new Int32Array(8);
const block = new Uint8Array(BLOCK_BYTES);
let filled = 0;
let taken = 0;

const compress = (bytes: Uint8Array, from: number): void => {
  for (let word = 0, at = from; word < 16; word += 1, at += 4)
    schedule[word] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  compressScheduled();
};

/** Takes the block in whose words the schedule begins with. */
const compressScheduled = (): void => {
  for (let word = 16; word < 64; word += 1) {
    const x = schedule[word - 15]!;
    const y = schedule[word - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[word] = (schedule[word - 16]! + s0 + schedule[word - 7]! + s1) | 0;
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
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[round]! + schedule[round]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
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

/** Goes on from a state after so many bytes, a whole number of blocks. */
const begin = (from: Int32Array, bytes: number): void => {
  state.set(from);
  filled = 0;
  taken = bytes;
};

const absorb = (bytes: Uint8Array, from: number, to: number): void => {
  taken += to - from;
  let at = from;
  while (at < to) {
    if (filled === 0 && at + BLOCK_BYTES <= to) {
      compress(bytes, at);
      at += BLOCK_BYTES;
      continue;
    }
    block[filled] = bytes[at]!;
    filled += 1;
    at += 1;
    if (filled < BLOCK_BYTES) continue;
    compress(block, 0);
    filled = 0;
  }
};

/** Takes in what ends a hash: after it the state is the hash. */
const finish = (): void => {
  block[filled] = 0x80;
  block.fill(0, filled + 1);
  if (filled + 1 > BLOCK_BYTES - 8) {
    compress(block, 0);
    block.fill(0);
  }
  const bits = taken * 8;
  for (let byte = 0; byte < 4; byte += 1) block[BLOCK_BYTES - 1 - byte] = bits >>> (8 * byte);
  compress(block, 0);
};

/** Bits of a key's block and a hash. */
const OUTER_BITS = (BLOCK_BYTES + HASH_BYTES) * 8;

/** Goes on from a state after one block with the hash that the state is now, and with what ends that. */
const finishOuter = (outer: Int32Array): void => {
  schedule.set(state);
  schedule[8] = 0x8000_0000;
  schedule.fill(0, 9, 15);
  schedule[15] = OUTER_BITS;
  state.set(outer);
  compressScheduled();
};

const pad = new Uint8Array(BLOCK_BYTES);

/** The state after the key's block, XORed with a byte. */
const keyed = (kept: Int32Array, padding: number, key: Uint8Array, from: number, to: number): void => {
  pad.fill(padding);
  for (let byte = from; byte < to; byte += 1) pad[byte - from] = key[byte]! ^ padding;
  state.set(start);
  compress(pad, 0);
  kept.set(state);
};

/** HMAC under one key at a time. */
export class Hmac {
  readonly #inner = new Int32Array(8);
  readonly #outer = new Int32Array(8);

  /** The bytes of `key` from `from` to `to`, 64 at most. */
  setKey(key: Uint8Array, from = 0, to = key.length): this {
    keyed(this.#inner, 0x36, key, from, to);
    keyed(this.#outer, 0x5c, key, from, to);
    return this;
  }

  /** What follows until `end` is one message; nothing else is hashed in between. */
  begin(): void {
    begin(this.#inner, BLOCK_BYTES);
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    absorb(bytes, from, to);
  }

  /** Writes the first bytes of the code, so many, 32 at most. */
  end(out: Uint8Array, length: number, at = 0): void {
    finish();
    finishOuter(this.#outer);
    for (let byte = 0; byte < length; byte += 1) out[at + byte] = state[byte >> 2]! >>> (24 - (byte & 3) * 8);
  }

  /** The code of one piece of bytes, as much as there is room for. */
  write(out: Uint8Array, bytes: Uint8Array): void {
    this.begin();
    this.add(bytes, 0, bytes.length);
    this.end(out, out.length);
  }
}

const extracting = new Hmac();
const expanding = new Hmac();
const pseudoRandomKey = new Uint8Array(HASH_BYTES);
const counter = new Uint8Array(1);

/** HKDF (RFC 5869) with this salt. */
export const makeHkdf = (salt: Uint8Array): ((out: Uint8Array, secret: Uint8Array, info: Uint8Array) => void) => {
  const extract = new Hmac().setKey(salt);
  return (out, secret, info) => expand(extract, out, secret, info);
};

export const hkdf = (out: Uint8Array, salt: Uint8Array, secret: Uint8Array, info: Uint8Array): void =>
  expand(extracting.setKey(salt), out, secret, info);

const expand = (extract: Hmac, out: Uint8Array, secret: Uint8Array, info: Uint8Array): void => {
  extract.write(pseudoRandomKey, secret);
  expanding.setKey(pseudoRandomKey);
  for (let at = 0; at < out.length; at += HASH_BYTES) {
    counter[0] = at / HASH_BYTES + 1;
    expanding.begin();
    if (at > 0) expanding.add(out, at - HASH_BYTES, at);
    expanding.add(info, 0, info.length);
    expanding.add(counter, 0, 1);
    expanding.end(out, Math.min(HASH_BYTES, out.length - at), at);
  }
};
