/** Reads both forms of Signal records: JSON of libsignal-node, and libsignal's protobufs. */
import { fieldsOf, lengthDelimited, varintField } from '../signal/session-record.ts';

export const maxMessageKeys = 2_000;

/** `{1: index or iteration, 2: key or seed}`: chain keys, and all sender keys. */
export const counted = { index: 1, key: 2 } as const;
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

export const objectIn = (value: Json, name: string): Json => {
  const found = value[name];
  if (!isObject(found)) throw new TypeError(`${name} is missing`);
  return found;
};

export const integerIn = (value: Json, name: string): number => {
  const found = value[name];
  if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < -1 || found > 0xffff_ffff)
    throw new TypeError(`${name} is no number`);
  return found;
};

/** Base64, bytes, or a Buffer as JSON: files have all three. */
export const bytesIn = (value: Json, name: string, ...lengths: readonly number[]): Uint8Array => {
  const found = value[name];
  const data = isObject(found) && found.type === 'Buffer' ? found.data : found;
  const bytes =
    typeof data === 'string' ? Buffer.from(data, 'base64') : Array.isArray(data) ? Uint8Array.from(data) : data;
  if (!(bytes instanceof Uint8Array) || !lengths.includes(bytes.length)) throw new TypeError(`${name} is no key`);
  return bytes;
};

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const countedOf = (index: number, key: Uint8Array): Uint8Array =>
  Buffer.concat([varintField(counted.index, index), lengthDelimited(counted.key, key)]);

export interface Fields {
  readonly bytes: (number: number) => Uint8Array;
  readonly number: (number: number) => number;
  readonly all: (number: number) => readonly Fields[];
  readonly has: (number: number) => boolean;
}

const asBytes = (value: number | Uint8Array | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array();

export const read = (message: Uint8Array): Fields => {
  const fields = [...fieldsOf(message)];
  const last = (number: number) => fields.findLast((field) => field.number === number)?.value;
  return {
    bytes: (number) => asBytes(last(number)),
    number: (number) => Number(last(number) ?? 0),
    all: (number) => fields.filter((field) => field.number === number).map(({ value }) => read(asBytes(value))),
    has: (number) => last(number) !== undefined,
  };
};
