/**
 * Session records and session-creating messages, as far as they are read outside the bridge. Former states may still have messages under way. The
 * bridge tries every state, but a failed attempt advances that state's ratchet, after which neither end can read the other: so it gets one state
 * at a time, and only a state that has decrypted is kept.
 */ import { nextTurn } from '../../domain/turns.ts';

export interface Field {
  readonly number: number;
  /** A varint's value, or the bytes of a length-delimited field (a view, not a copy). */
  readonly value: number | Uint8Array;
}

const varint = 0;
const lengthPrefixed = 2;

export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('Truncated message');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError('Malformed varint');
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const wireType = tag % 8;
    if (wireType !== varint && wireType !== lengthPrefixed) throw new RangeError(`Unexpected wire type ${wireType}`);
    const number = Math.floor(tag / 8);
    const value = readVarint();
    if (wireType === varint) {
      yield { number, value };
      continue;
    }
    if (value > bytes.length - at) throw new RangeError('Truncated message');
    at += value;
    yield { number, value: bytes.subarray(at - value, at) };
  }
}

/** Fields that may still be read: a field of two bytes costs as much as a long one. */
export interface FieldRoom {
  left: number;
}

/** More than a message, or what it is sealed in, has beside each other. */
export const maxFields = 1_000;

export function* fieldsWithin(bytes: Uint8Array, room: FieldRoom): Generator<Field> {
  for (const field of fieldsOf(bytes)) {
    room.left -= 1;
    if (room.left < 0) return;
    yield field;
  }
}

/** The turn of others, once for some fields: looking at the clock takes longer than reading one. */
export const turnIn = ({ left }: FieldRoom): Promise<void> | null => (left % 32 === 0 ? nextTurn() : null);

/** Of the first fields only. */
export const fieldMapOf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> => {
  const fields = new Map<number, number | Uint8Array>();
  for (const { number, value } of fieldsWithin(bytes, { left: maxFields })) fields.set(number, value);
  return fields;
};

const varints = (...values: readonly number[]): Uint8Array => {
  const bytes: number[] = [];
  for (let part of values) {
    for (; part > 0x7f; part >>>= 7) bytes.push((part & 0x7f) | 0x80);
    bytes.push(part);
  }
  return new Uint8Array(bytes);
};

export const lengthDelimited = (number: number, value: Uint8Array): Uint8Array =>
  Buffer.concat([varints(number * 8 + lengthPrefixed, value.length), value]);

export const varintField = (number: number, value: number): Uint8Array => varints(number * 8 + varint, value);

// A record: 1 = the current state, 2 = each archived one.
const currentState = 1;
const archivedState = 2;
// A state: 7 = its receiving chains (1 = the ratchet key of each), 13 = the base key of the side that began the session.
const receivingChain = 7;
const chainRatchetKey = 1;
const baseKey = 13;
/** As in Signal's own implementations. */
export const maxArchived = 40;

const bytesIn = (message: Uint8Array, wanted: number): Uint8Array[] => {
  const found: Uint8Array[] = [];
  for (const { number, value } of fieldsOf(message))
    if (number === wanted && value instanceof Uint8Array) found.push(value);
  return found;
};

export const statesOf = (record: Uint8Array): Uint8Array[] => {
  const current: Uint8Array[] = [];
  const archived: Uint8Array[] = [];
  for (const { number, value } of fieldsOf(record)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === currentState) current.push(value);
    else if (number === archivedState) archived.push(value);
  }
  return archived.length === 0 ? current : [...current, ...archived];
};

export const recordOf = ([current, ...archived]: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat([
      ...(current === undefined ? [] : [lengthDelimited(currentState, current)]),
      ...archived.slice(0, maxArchived).map((state) => lengthDelimited(archivedState, state)),
    ]),
  );

/** `record`, followed by the states of `other`: messages to either address stay readable. */
export const mergeSessions = (record: Uint8Array, other: Uint8Array): Uint8Array =>
  recordOf([...statesOf(record), ...statesOf(other)]);

export const hasOpenSession = (record: Uint8Array): boolean => bytesIn(record, currentState).length > 0;

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const readable = (bytes: Uint8Array): ReturnType<typeof fieldMapOf> | null => {
  try {
    return fieldMapOf(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** The first field of a `msg`, between the version byte and the eight bytes of its MAC. */
const ratchetKeyOf = (message: Uint8Array): Uint8Array | null => {
  const key = readable(message.subarray(1, -8))?.get(1);
  return key instanceof Uint8Array ? key : null;
};

/** States with a chain for the message first: usually one, and the only one to try. */
export const byLikelihood = (states: readonly Uint8Array[], message: Uint8Array): readonly Uint8Array[] => {
  const key = states.length < 2 ? null : ratchetKeyOf(message);
  if (key === null) return states;
  const knows = (state: Uint8Array): boolean =>
    bytesIn(state, receivingChain).some((chain) => bytesIn(chain, chainRatchetKey).some((each) => same(each, key)));
  const likely = states.filter(knows);
  return likely.length === 0 ? states : [...likely, ...states.filter((state) => !likely.includes(state))];
};

export interface PreKeyMessage {
  /** Null if the sender found no one-time prekey. */
  readonly preKeyId: number | null;
  /** 33 bytes: the type byte and the key. */
  readonly identityKey: Uint8Array | null;
  /** The key that began the session, and the message to be read with it. */
  readonly baseKey: Uint8Array | null;
  readonly message: Uint8Array | null;
}

/** Null if malformed. */
export const readPreKeyMessage = (ciphertext: Uint8Array): PreKeyMessage | null => {
  const fields = readable(ciphertext.subarray(1));
  if (fields === null) return null;
  const bytesAt = (number: number): Uint8Array | null => {
    const value = fields.get(number);
    return value instanceof Uint8Array ? value : null;
  };
  const preKeyId = fields.get(1);
  const identityKey = bytesAt(3);
  return {
    preKeyId: typeof preKeyId === 'number' ? preKeyId : null,
    identityKey: identityKey?.length === 33 ? new Uint8Array(identityKey) : null,
    baseKey: bytesAt(2),
    message: bytesAt(4),
  };
};

/** The state set up earlier by this `pkmsg`, and its message; null if the session is new. */
export const knownSetup = (
  states: readonly Uint8Array[],
  ciphertext: Uint8Array,
): { readonly state: Uint8Array; readonly message: Uint8Array } | null => {
  const { baseKey: base = null, message = null } = readPreKeyMessage(ciphertext) ?? {};
  if (base === null || message === null) return null;
  const state = states.find((each) => bytesIn(each, baseKey).some((key) => same(key, base)));
  return state === undefined ? null : { state, message };
};
