/**
 * Messages of an open session whose chain is there: the symmetric part of the Double Ratchet, done here and in the bytes of
 * the record. Null for everything else (a new ratchet key, a message out of turn, one that is not authentic, a record that is
 * written in another way): the bridge sees to that, and says what is wrong. Nothing that is given is changed.
 */
import {
  authenticate,
  chainKeyBytes,
  isAuthentic,
  macBytes,
  nextChainKey,
  open,
  publicKeyBytes,
  seal,
  skip,
  step,
} from './chain.ts';
import { Fields } from './fields.ts';
import {
  type ChainPlace,
  isPublicKey,
  type PendingSetup,
  placesIn,
  sameBytes,
  type StatePlaces,
} from './state-places.ts';

/** Version 3, the lowest and the highest that is spoken. */
const version = 0x33;

const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let left = value; left > 0x7f; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
};

/** Returns where it ends. */
const putVarint = (out: Uint8Array, at: number, value: number): number => {
  let end = at;
  for (let left = value; ; left = Math.floor(left / 128)) {
    out[end++] = left > 0x7f ? (left & 0x7f) | 0x80 : left;
    if (left <= 0x7f) return end;
  }
};

const putNumber = (out: Uint8Array, at: number, number: number, value: number): number => {
  out[at] = number * 8;
  return putVarint(out, at + 1, value);
};

const putBytes = (out: Uint8Array, at: number, number: number, value: Uint8Array): number => {
  out[at] = number * 8 + 2;
  const from = putVarint(out, at + 1, value.length);
  out.set(value, from);
  return from + value.length;
};

const keyAt = (record: Uint8Array, at: number): Uint8Array => record.subarray(at, at + publicKeyBytes);

/** A copy in which the chain is `count` messages further; null where the index takes more room than before. */
const moved = (record: Uint8Array, chain: ChainPlace, count = 1): Uint8Array | null => {
  const { index, indexAt, indexBytes, keyAt: at } = chain;
  if (varintBytes(index + count) !== indexBytes) return null;
  const copy = new Uint8Array(record);
  putVarint(copy, indexAt, index + count);
  for (let byte = 0; byte < chainKeyBytes; byte += 1) copy[at + byte] = nextChainKey[byte]!;
  return copy;
};

// A message: 1 = ratchet key, 2 = counter, 3 = previous counter, 4 = ciphertext.
const messageOf = (record: Uint8Array, places: StatePlaces, chain: ChainPlace, ciphertext: Uint8Array): Buffer => {
  const { previousCounter } = places;
  const ratchetKey = keyAt(record, chain.ratchetKeyAt);
  const head = 1 + 2 + publicKeyBytes + 1 + varintBytes(chain.index) + 1 + varintBytes(previousCounter);
  const message = Buffer.allocUnsafe(head + 1 + varintBytes(ciphertext.length) + ciphertext.length + macBytes);
  message[0] = version;
  let at = putBytes(message, 1, 1, ratchetKey);
  at = putNumber(message, at, 2, chain.index);
  at = putNumber(message, at, 3, previousCounter);
  putBytes(message, at, 4, ciphertext);
  return message;
};

// A message that sets the session up: 1 = the id of the one-time prekey, 2 = base key, 3 = identity, 4 = the message,
// 5 = the registration id, 6 = the id of the signed prekey.
const setupOf = (record: Uint8Array, places: StatePlaces, pending: PendingSetup, message: Uint8Array): Buffer => {
  const { registrationId, localIdentityAt } = places;
  const { preKeyId, signedPreKeyId, baseKeyAt } = pending;
  const setup = Buffer.allocUnsafe(message.length + 2 * publicKeyBytes + 48);
  setup[0] = version;
  let at = 1;
  if (preKeyId !== null) at = putNumber(setup, at, 1, preKeyId);
  at = putBytes(setup, at, 2, keyAt(record, baseKeyAt));
  at = putBytes(setup, at, 3, keyAt(record, localIdentityAt));
  at = putBytes(setup, at, 4, message);
  at = putNumber(setup, at, 5, registrationId);
  at = putNumber(setup, at, 6, signedPreKeyId);
  return setup.subarray(0, at);
};

export interface SealedOnChain {
  /** The record behind it. */
  readonly record: Uint8Array;
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

export const sealOnChain = (record: Uint8Array, plaintext: Uint8Array): SealedOnChain | null => {
  const places = placesIn(record);
  const chain = places?.sending ?? null;
  if (places === null || chain === null) return null;
  step(record, chain.keyAt);
  const after = moved(record, chain);
  if (after === null) return null;
  const message = messageOf(record, places, chain, seal(plaintext));
  authenticate(message, { bytes: record, senderAt: places.localIdentityAt, receiverAt: places.remoteIdentityAt });
  if (places.pending === null) return { record: after, type: 'msg', ciphertext: message };
  return { record: after, type: 'pkmsg', ciphertext: setupOf(record, places, places.pending, message) };
};

/** The record as it will be when so many messages more were sealed. */
export const ahead = (record: Uint8Array, count: number): Uint8Array | null => {
  const chain = placesIn(record)?.sending ?? null;
  if (chain === null) return null;
  skip(record, chain.keyAt, count);
  return moved(record, chain, count);
};

export interface OpenedOnChain {
  readonly record: Uint8Array;
  readonly plaintext: Uint8Array;
}

interface MessagePlaces {
  readonly ratchetKeyAt: number;
  readonly counter: number;
  readonly ciphertext: Uint8Array;
}

const readMessage = (message: Uint8Array): MessagePlaces | null => {
  if (message.length <= macBytes || message[0]! >> 4 !== version >> 4) return null;
  let [ratchetKeyAt, counter] = [-1, -1];
  let ciphertext: Uint8Array | null = null;
  let last = 0;
  for (const field = new Fields(message, 1, message.length - macBytes); field.next();) {
    // In their order, each once.
    if (field.number <= last || field.number > 4) return null;
    last = field.number;
    if (field.number === 1 && isPublicKey(message, field)) ratchetKeyAt = field.from;
    if (field.number === 2 && !field.isBytes) counter = field.value;
    if (field.number === 4 && field.isBytes) ciphertext = message.subarray(field.from, field.to);
  }
  return ratchetKeyAt === -1 || counter === -1 || ciphertext === null ? null : { ratchetKeyAt, counter, ciphertext };
};

const isOfSetup = (record: Uint8Array, { baseKeyAt }: StatePlaces, key: Uint8Array): boolean =>
  baseKeyAt !== -1 && key.length === publicKeyBytes && sameBytes(record, baseKeyAt, key, 0, publicKeyBytes);

/** The base key and the message of a setup that has all its parts, in their order. */
const readSetup = (ciphertext: Uint8Array): { readonly baseKey: Uint8Array; readonly message: Uint8Array } | null => {
  if (ciphertext.length === 0 || ciphertext[0]! >> 4 !== version >> 4) return null;
  let baseKey: Uint8Array | null = null;
  let identity: Uint8Array | null = null;
  let message: Uint8Array | null = null;
  let isSigned = false;
  let last = 0;
  for (const field = new Fields(ciphertext, 1); field.next();) {
    if (field.number <= last || field.number > 6) return null;
    last = field.number;
    const bytes = field.isBytes ? ciphertext.subarray(field.from, field.to) : null;
    if (bytes === null && (last < 2 || last > 4)) isSigned = last === 6;
    else if (last === 4) message = bytes;
    else if (!isPublicKey(ciphertext, field)) return null;
    else if (last === 2) baseKey = bytes;
    else if (last === 3) identity = bytes;
    else return null;
  }
  return isSigned && identity !== null && baseKey !== null && message !== null ? { baseKey, message } : null;
};

/**
 * One message after the other out of a session, without looking for the parts of its record each time. What `open` has read takes effect with `keep`:
 * the record moves on, a copy of the one that was given.
 */
export class ChainReader {
  #record: Uint8Array;
  /** Of the chain that was read from last; its index and its key have moved on since then. */
  #places: StatePlaces | null = null;
  #index = 0;
  #hasMoved = false;
  /** The chain's key behind the message that was read. */
  readonly #next = new Uint8Array(chainKeyBytes);

  constructor(record: Uint8Array) {
    this.#record = record;
  }

  /** As it is after what was kept. Nobody else may hold it while more is read. */
  get record(): Uint8Array {
    return this.#record;
  }

  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Null for what only the bridge can say. A `pkmsg` only where the current state is the one that it has set up. */
  open(type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Uint8Array | null {
    try {
      if (type === 'msg') return this.#open(ciphertext, null);
      const setup = readSetup(ciphertext);
      return setup === null ? null : this.#open(setup.message, setup.baseKey);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Once, after each message that `open` has read and that is not to come again. */
  keep(): void {
    const { indexAt, keyAt: at } = this.#places!.receiving!;
    if (!this.#hasMoved) this.#record = new Uint8Array(this.#record);
    this.#hasMoved = true;
    this.#index += 1;
    putVarint(this.#record, indexAt, this.#index);
    for (let byte = 0; byte < chainKeyBytes; byte += 1) this.#record[at + byte] = this.#next[byte]!;
  }

  #open(message: Uint8Array, baseKey: Uint8Array | null): Uint8Array | null {
    const parts = readMessage(message);
    const places = parts === null ? null : this.#placesFor(message, parts.ratchetKeyAt);
    const chain = places?.receiving ?? null;
    if (parts === null || places === null || chain === null || this.#index !== parts.counter) return null;
    // The first answer ends the setup.
    if (places.pending !== null) return null;
    const record = this.#record;
    if (baseKey !== null && !isOfSetup(record, places, baseKey)) return null;
    // An index that takes more room than before.
    if (varintBytes(this.#index + 1) !== chain.indexBytes) return null;
    step(record, chain.keyAt);
    const { remoteIdentityAt: senderAt, localIdentityAt: receiverAt } = places;
    if (!isAuthentic(message, { bytes: record, senderAt, receiverAt })) return null;
    const plaintext = open(parts.ciphertext);
    if (plaintext !== null) this.#next.set(nextChainKey);
    return plaintext;
  }

  #placesFor(message: Uint8Array, ratchetKeyAt: number): StatePlaces | null {
    const known = this.#places?.receiving ?? null;
    if (known !== null && sameBytes(this.#record, known.ratchetKeyAt, message, ratchetKeyAt, publicKeyBytes)) {
      return this.#places;
    }
    this.#places = placesIn(this.#record, message, ratchetKeyAt);
    this.#index = this.#places?.receiving?.index ?? 0;
    return this.#places;
  }
}

export const openOnChain = (
  record: Uint8Array,
  type: 'pkmsg' | 'msg',
  ciphertext: Uint8Array,
): OpenedOnChain | null => {
  const reader = new ChainReader(record);
  const plaintext = reader.open(type, ciphertext);
  if (plaintext === null) return null;
  reader.keep();
  return { record: reader.record, plaintext };
};
