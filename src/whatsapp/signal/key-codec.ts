/** Storage format by kind of key: raw bytes, protobuf, or JSON. */
import { BufferJSON } from '../library/protocol.ts';
import type { KeyPair } from '../library/crypto.ts';
import { proto } from '../library/proto.ts';
import type { SignalDataTypeMap } from '../library/types.ts';

export const keyTypes = [
  'pre-key',
  'session',
  'sender-key',
  'sender-key-memory',
  'app-state-sync-key',
  'app-state-sync-version',
  'lid-mapping',
  'device-list',
  'tctoken',
  'identity-key',
] as const satisfies readonly (keyof SignalDataTypeMap)[];

export type KeyType = keyof SignalDataTypeMap;

interface Codec<T> {
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => T;
}

const keyLength = 32;
const text = new TextDecoder();

const encodePreKey = (pair: KeyPair): Uint8Array => {
  if (pair.public.length !== keyLength || pair.private.length !== keyLength) throw new RangeError('Not a prekey');
  const bytes = new Uint8Array(2 * keyLength);
  bytes.set(pair.public);
  bytes.set(pair.private, keyLength);
  return bytes;
};

export const decodePreKey = (bytes: Uint8Array): KeyPair => {
  if (bytes.length !== 2 * keyLength) throw new RangeError('Not a prekey');
  return { public: Buffer.from(bytes.subarray(0, keyLength)), private: Buffer.from(bytes.subarray(keyLength)) };
};

const raw: Codec<Uint8Array> = { encode: (value) => value, decode: (bytes) => bytes };

export const json = {
  encode: (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  decode: (bytes: Uint8Array): unknown => JSON.parse(text.decode(bytes), BufferJSON.reviver),
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is read is what `encode` wrote
const jsonOf = <T>(): Codec<T> => ({ encode: json.encode, decode: (bytes) => json.decode(bytes) as T });

const codecs: { readonly [T in KeyType]: Codec<SignalDataTypeMap[T]> } = {
  'pre-key': { encode: encodePreKey, decode: decodePreKey },
  session: raw,
  'sender-key': raw,
  'identity-key': raw,
  'lid-mapping': { encode: (value) => Buffer.from(value), decode: (bytes) => text.decode(bytes) },
  'app-state-sync-key': {
    encode: (value) => proto.Message.AppStateSyncKeyData.encode(value).finish(),
    decode: (bytes) => proto.Message.AppStateSyncKeyData.decode(bytes),
  },
  'app-state-sync-version': jsonOf(),
  'sender-key-memory': jsonOf(),
  'device-list': jsonOf(),
  tctoken: jsonOf(),
};

export const encodeKey = <T extends KeyType>(type: T, value: SignalDataTypeMap[T]): Uint8Array => {
  const codec: Codec<SignalDataTypeMap[T]> = codecs[type];
  return codec.encode(value);
};

export const decodeKey = <T extends KeyType>(type: T, bytes: Uint8Array): SignalDataTypeMap[T] => {
  const codec: Codec<SignalDataTypeMap[T]> = codecs[type];
  return codec.decode(bytes);
};
