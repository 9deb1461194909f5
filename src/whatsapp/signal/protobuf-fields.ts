/** A reader of protobuf fields by number, for messages that Baileys has no type for or that must keep their unknown fields. */

export interface Field {
  readonly number: number;
  /** A varint's value, or the bytes of a length-delimited field (a view, not a copy). */
  readonly value: number | Uint8Array;
}

const varint = 0;
const lengthPrefixed = 2;

/** The fields of a message, in order. Throws RangeError on bytes that are not a message of varints and length-delimited fields. */
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

/** The last value of each field. */
export const fieldMapOf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> =>
  new Map([...fieldsOf(bytes)].map(({ number, value }) => [number, value]));

export const lengthDelimited = (number: number, value: Uint8Array): Uint8Array => {
  const head: number[] = [];
  for (let part of [number * 8 + lengthPrefixed, value.length]) {
    for (; part > 0x7f; part >>>= 7) head.push((part & 0x7f) | 0x80);
    head.push(part);
  }
  return Buffer.concat([new Uint8Array(head), value]);
};
