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
export const fieldMapOf = (bytes: Uint8Array, room = { left: maxFields }): ReadonlyMap<number, number | Uint8Array> => {
  const fields = new Map<number, number | Uint8Array>();
  for (const { number, value } of fieldsWithin(bytes, room)) fields.set(number, value);
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
// A state: 7 = its receiving chains (1 = the ratchet key of each, 3 = its next key, of which 1 = the index), 13 = the base key of the side that
// began the session.
const receivingChain = 7;
const chainRatchetKey = 1;
const chainKey = 3;
const chainIndex = 1;
const baseKey = 13;
/** As in Signal's own implementations. */
export const maxArchived = 40;
/** Bytes of all archived states. One has some kB, and more where its sender has left out messages, each of which has a key in it. */
const maxArchivedBytes = 262_144;

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

export const recordOf = ([current, ...archived]: readonly Uint8Array[]): Uint8Array => {
  let left = maxArchivedBytes;
  const kept = archived.slice(0, maxArchived).filter((state) => (left -= state.length) >= 0);
  return new Uint8Array(
    Buffer.concat([
      ...(current === undefined ? [] : [lengthDelimited(currentState, current)]),
      ...kept.map((state) => lengthDelimited(archivedState, state)),
    ]),
  );
};

/** `record`, followed by the states of `other`: messages to either address stay readable. */
export const mergeSessions = (record: Uint8Array, other: Uint8Array): Uint8Array =>
  recordOf([...statesOf(record), ...statesOf(other)]);

export const hasOpenSession = (record: Uint8Array): boolean => bytesIn(record, currentState).length > 0;

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Null also for more fields than are read: the bridge would read them all. */
const readable = (bytes: Uint8Array): ReturnType<typeof fieldMapOf> | null => {
  const room = { left: maxFields };
  try {
    const fields = fieldMapOf(bytes, room);
    return room.left < 0 ? null : fields;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

interface Position {
  readonly ratchetKey: Uint8Array;
  readonly counter: number;
}

/** Where a `msg` says to be: its first fields, between the version byte and the eight bytes of its MAC. */
const positionOf = (message: Uint8Array): Position | null => {
  const fields = readable(message.subarray(1, -8));
  const [ratchetKey, counter = 0] = [fields?.get(1), fields?.get(2)];
  return ratchetKey instanceof Uint8Array && typeof counter === 'number' ? { ratchetKey, counter } : null;
};

/** The next index of the state's chain under this key; null if it has none. */
const nextIndexOf = (state: Uint8Array, ratchetKey: Uint8Array): number | null => {
  for (const chain of bytesIn(state, receivingChain)) {
    for (const { number, value } of fieldsOf(chain)) {
      if (typeof value === 'number') continue;
      if (number === chainRatchetKey && !same(value, ratchetKey)) break;
      if (number !== chainKey) continue;
      const index = fieldMapOf(value).get(chainIndex);
      return typeof index === 'number' ? index : 0;
    }
  }
  return null;
};

/** A state to try. `jump`: how many keys the bridge derives for the message before it knows whether it is genuine, 8 µs each. */
export interface Attempt {
  readonly state: Uint8Array;
  readonly jump: number;
}

/** Keys whose derivation takes less than 2 ms: nothing is looked up for so few. */
export const fewKeys = 200;
/** Of a former state with a chain that is not known, of which there may be forty. */
const maxFormerJump = 32;
/** Of a message that sets up a session. */
const maxFirstJump = 2_000;

/** States with a chain for the message first: usually one, and the only one to try. None for a malformed message. */
export const attemptsOf = (states: readonly Uint8Array[], message: Uint8Array): readonly Attempt[] => {
  const position = positionOf(message);
  if (position === null) return [];
  const { ratchetKey, counter } = position;
  const [only] = states;
  if (only !== undefined && states.length === 1 && counter <= fewKeys) return [{ state: only, jump: counter }];
  const [likely, others]: [Attempt[], Attempt[]] = [[], []];
  for (const [at, state] of states.entries()) {
    const index = nextIndexOf(state, ratchetKey);
    if (index !== null) likely.push({ state, jump: Math.max(0, counter - index) });
    else if (at === 0 || counter <= maxFormerJump) others.push({ state, jump: counter });
  }
  return [...likely, ...others];
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

/** Whether a message that sets up a session is one of its first. */
export const isFirst = (ciphertext: Uint8Array): boolean => {
  const message = readPreKeyMessage(ciphertext)?.message ?? null;
  return message !== null && (positionOf(message)?.counter ?? Infinity) <= maxFirstJump;
};

// A sender key message: 1 = the chain, 2 = its iteration; then 64 bytes of signature. A record: 1 = each state, of which 1 = the chain, 2 = its next key.
const signatureBytes = 64;
const nextSenderKey = 2;

/** As `Attempt.jump`, of a message to a group; 0 for a few keys, whatever the record says. */
export const groupJumpOf = (record: Uint8Array | null, ciphertext: Uint8Array): number => {
  const fields = readable(ciphertext.subarray(1, -signatureBytes));
  const [chain, iteration = 0] = [fields?.get(1), fields?.get(2)];
  if (fields === null || typeof iteration !== 'number') throw new Error('malformed message to a group');
  let jump = 0;
  for (const state of iteration <= fewKeys || record === null ? [] : bytesIn(record, 1)) {
    const known = fieldMapOf(state);
    const next = known.get(nextSenderKey);
    if (known.get(1) !== chain || typeof next === 'number' || next === undefined) continue;
    const index = fieldMapOf(next).get(1) ?? 0;
    if (typeof index === 'number') jump = Math.max(jump, iteration - index);
  }
  return jump;
};
