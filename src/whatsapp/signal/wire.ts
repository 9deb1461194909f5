/** The few protobuf fields that are read out of Signal messages and records; everything else is the bridge's affair. */
import { Fields } from './fields.ts';

interface Field {
  readonly number: number;
  /** A varint's value, or the bytes of a length-delimited field. */
  readonly value: number | Uint8Array;
}

/** The fields of a message, in order. Throws RangeError on bytes that are not one. */
export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  for (const field = new Fields(bytes); field.next();) {
    const value = field.isBytes ? bytes.subarray(field.from, field.to) : field.value;
    yield { number: field.number, value };
  }
}

const bytesOf = (value: number | Uint8Array | undefined): Uint8Array | null =>
  value instanceof Uint8Array ? value : null;
const numberOf = (value: number | Uint8Array | undefined): number | null => (typeof value === 'number' ? value : null);

/** The last value of each field. */
export const messageOf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> => {
  const message = new Map<number, number | Uint8Array>();
  for (const { number, value } of fieldsOf(bytes)) message.set(number, value);
  return message;
};

export interface PreKeyMessage {
  /** Null when the sender found no one-time prekey. */
  readonly preKeyId: number | null;
  /** 33 bytes: the type byte and the key. */
  readonly identityKey: Uint8Array | null;
}

/** What a `pkmsg` says about itself; null when it is malformed (the bridge then says how). */
export const readPreKeyMessage = (ciphertext: Uint8Array): PreKeyMessage | null => {
  try {
    const message = messageOf(ciphertext.subarray(1));
    const identityKey = bytesOf(message.get(3));
    return {
      preKeyId: numberOf(message.get(1)),
      identityKey: identityKey?.length === 33 ? new Uint8Array(identityKey) : null,
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

// A session record: 1 = the current state. A state: 10 = the remote registration id, 13 = the base key of whoever began
// the session.
const currentState = 1;

export const hasOpenSession = (record: Uint8Array): boolean => {
  let isOpen = false;
  for (const field = new Fields(record); field.next();) if (field.number === currentState) isOpen = true;
  return isOpen;
};

export const readSessionInfo = (record: Uint8Array): { baseKey: Uint8Array; registrationId: number } | null => {
  const current = bytesOf(messageOf(record).get(currentState));
  if (current === null) return null;
  const state = messageOf(current);
  const baseKey = bytesOf(state.get(13));
  const registrationId = numberOf(state.get(10));
  return baseKey === null || registrationId === null ? null : { baseKey: new Uint8Array(baseKey), registrationId };
};

export const lengthDelimited = (number: number, value: Uint8Array): Uint8Array => {
  const head = [number * 8 + 2];
  let length = value.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  head.push(length);
  return Buffer.concat([new Uint8Array(head), value]);
};
