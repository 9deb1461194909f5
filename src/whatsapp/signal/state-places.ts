/**
 * Where the parts of a session's current state are in the bytes of its record, so that they are read and changed in their
 * place. Null for everything that is not exactly as Signal's own implementations write it: that is the bridge's affair.
 */
import { chainKeyBytes, publicKeyBytes } from './chain.ts';
import { Fields } from './fields.ts';

/** The type byte of a public key. */
const curve25519 = 5;
const sessionVersion = 3;
const rootKeyBytes = 32;
const maxNumber = 2 ** 32 - 1;
const maxId = 2 ** 31 - 1;
/** An index behind it would overflow. */
const maxIndex = 2 ** 32 - 2;

export interface ChainPlace {
  readonly ratchetKeyAt: number;
  readonly index: number;
  /** The index as it is written; right behind it is the field of the key. */
  readonly indexAt: number;
  readonly indexBytes: number;
  readonly keyAt: number;
}

/** What goes along with each message until the peer has answered. */
export interface PendingSetup {
  readonly preKeyId: number | null;
  readonly signedPreKeyId: number;
  readonly baseKeyAt: number;
}

export interface StatePlaces {
  readonly localIdentityAt: number;
  readonly remoteIdentityAt: number;
  readonly previousCounter: number;
  readonly registrationId: number;
  /** Of whoever began the session; −1 where it is not told. */
  readonly baseKeyAt: number;
  readonly sending: ChainPlace | null;
  /** The chain under the ratchet key that was asked for. */
  readonly receiving: ChainPlace | null;
  readonly pending: PendingSetup | null;
}

export const sameBytes = (a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean => {
  for (let byte = 0; byte < length; byte += 1) if (a[aAt + byte] !== b[bAt + byte]) return false;
  return true;
};

export const isPublicKey = (bytes: Uint8Array, { isBytes, from, to }: Fields): boolean =>
  isBytes && to - from === publicKeyBytes && bytes[from] === curve25519;

/** Thrown and caught here. */
const strange = new RangeError('Not as it is mostly written');

/** The fields seen so far, as bits. Throws where one that may be there once is there again; unknown ones do not matter. */
const seeing = (seen: number, number: number): number => {
  if (number > 30) return seen;
  const bit = 1 << number;
  if ((seen & bit) !== 0) throw strange;
  return seen | bit;
};

const numberIn = ({ isBytes, value }: Fields, most: number): number => {
  if (isBytes || value > most) throw strange;
  return value;
};

const publicKeyIn = (bytes: Uint8Array, field: Fields): number => {
  if (!isPublicKey(bytes, field)) throw strange;
  return field.from;
};

const isNext = (field: Fields, number: number): boolean => field.next() && field.number === number;

// A chain: 1 = ratchet key, 2 = its private half, 3 = key (1 = index, 2 = key), 4 = the keys of messages that were skipped.
const chainAt = (bytes: Uint8Array, from: number, to: number): ChainPlace => {
  let seen = 0;
  let [ratchetKeyAt, keyFrom, keyTo] = [-1, -1, -1];
  for (const field = new Fields(bytes, from, to); field.next();) {
    if (field.number !== 4) seen = seeing(seen, field.number);
    if (field.number === 1) ratchetKeyAt = publicKeyIn(bytes, field);
    if (field.number === 3 && field.isBytes) [keyFrom, keyTo] = [field.from, field.to];
  }
  if (ratchetKeyAt === -1 || keyFrom === -1) throw strange;
  const field = new Fields(bytes, keyFrom, keyTo);
  if (!isNext(field, 1)) throw strange;
  const index = numberIn(field, maxIndex);
  const { from: indexAt, to: indexTo } = field;
  if (!isNext(field, 2) || !field.isBytes || field.value !== chainKeyBytes) throw strange;
  if (field.to !== keyTo) throw strange;
  return { ratchetKeyAt, index, indexAt, indexBytes: indexTo - indexAt, keyAt: field.from };
};

// What is pending: 1 = the id of the one-time prekey, 2 = the base key, 3 = the id of the signed prekey.
const pendingAt = (bytes: Uint8Array, from: number, to: number): PendingSetup => {
  let seen = 0;
  let preKeyId: number | null = null;
  let [signedPreKeyId, baseKeyAt] = [-1, -1];
  for (const field = new Fields(bytes, from, to); field.next();) {
    seen = seeing(seen, field.number);
    if (field.number === 1) preKeyId = numberIn(field, maxId);
    if (field.number === 2) baseKeyAt = publicKeyIn(bytes, field);
    if (field.number === 3) signedPreKeyId = numberIn(field, maxId);
  }
  if (signedPreKeyId === -1 || baseKeyAt === -1) throw strange;
  return { preKeyId, signedPreKeyId, baseKeyAt };
};

/** Whether a chain is that of a ratchet key, which is its first field. */
const isUnder = (bytes: Uint8Array, from: number, to: number, key: Uint8Array, keyAt: number): boolean => {
  const field = new Fields(bytes, from, to);
  if (!field.next() || field.number !== 1) throw strange;
  return sameBytes(bytes, publicKeyIn(bytes, field), key, keyAt, publicKeyBytes);
};

// A record: 1 = the current state, 2 = each archived one.
const currentAt = (record: Uint8Array): Fields | null => {
  let current: Fields | null = null;
  for (const field = new Fields(record); field.next();) {
    if (field.number !== 1) continue;
    if (current !== null || !field.isBytes) return null;
    current = new Fields(record, field.from, field.to);
  }
  return current;
};

const read = (record: Uint8Array, key: Uint8Array | null, keyAt: number): StatePlaces | null => {
  const field = currentAt(record);
  if (field === null) return null;
  let seen = 0;
  const numbers = { version: 0, previous: 0, registration: 0 };
  const keys = { local: -1, remote: -1, root: -1, base: -1 };
  let sending: ChainPlace | null = null;
  let receiving: ChainPlace | null = null;
  let pending: PendingSetup | null = null;
  while (field.next()) {
    const { number, from, to } = field;
    if (number !== 7) seen = seeing(seen, number);
    if (number === 1) numbers.version = numberIn(field, maxNumber);
    else if (number === 2) keys.local = publicKeyIn(record, field);
    else if (number === 3) keys.remote = publicKeyIn(record, field);
    else if (number === 4) keys.root = field.isBytes && field.value === rootKeyBytes ? from : -1;
    else if (number === 5) numbers.previous = numberIn(field, maxNumber);
    else if (number === 6) sending = chainAt(record, from, to);
    else if (number === 7) {
      const isAskedFor = key !== null && receiving === null && isUnder(record, from, to, key, keyAt);
      if (isAskedFor) receiving = chainAt(record, from, to);
    } else if (number === 9) pending = pendingAt(record, from, to);
    else if (number === 11) numbers.registration = numberIn(field, maxNumber);
    else if (number === 13) keys.base = publicKeyIn(record, field);
  }
  if (numbers.version !== sessionVersion || keys.local === -1 || keys.remote === -1 || keys.root === -1) return null;
  return {
    localIdentityAt: keys.local,
    remoteIdentityAt: keys.remote,
    previousCounter: numbers.previous,
    registrationId: numbers.registration,
    baseKeyAt: keys.base,
    sending,
    receiving,
    pending,
  };
};

/** With the receiving chain under a ratchet key, where one is given. */
export const placesIn = (record: Uint8Array, key: Uint8Array | null = null, keyAt = 0): StatePlaces | null => {
  try {
    return read(record, key, keyAt);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};
