/** The key store: each `set` is one commit, nothing is cached. */
import type { KeyPair } from '../library/crypto.ts';
import { proto } from '../library/proto.ts';
import { BufferJSON } from '../library/protocol.ts';
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '../library/types.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { Locks } from './signal-records.ts';

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

const changesOf = <T extends KeyType>(type: T, entries: NonNullable<SignalDataSet[T]>): KeyChange[] =>
  Object.entries<SignalDataTypeMap[T] | null | undefined>(entries)
    .filter(([, value]) => value !== undefined)
    .map(([id, value]) => ({
      type,
      id,
      value: value === null || value === undefined ? null : encodeKey(type, value),
    }));

/** Records the repository locks under the same name. */
const isLocked = ({ type }: KeyChange): boolean => type === 'session' || type === 'sender-key';

/** The device's own list is rewritten at each login, usually unchanged. */
const isKnownList = async (
  store: SessionCredentials,
  deviceId: number,
  keys: readonly KeyChange[],
): Promise<boolean> => {
  const [list] = keys;
  if (keys.length !== 1 || list?.type !== 'device-list' || list.value === null) return false;
  const stored = (await store.readKeys(deviceId, list.type, [list.id])).get(list.id);
  return stored !== undefined && Buffer.compare(stored, list.value) === 0;
};

export const makeKeyStore = (options: {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  /** The repository's, so that a set waits for running operations. */
  readonly locks?: Locks;
}): SignalKeyStore => {
  const { deviceId, store } = options;
  const locks = options.locks ?? new Locks();
  return {
    async get<T extends KeyType>(type: T, ids: string[]) {
      const found = await store.readKeys(deviceId, type, ids);
      const values: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const [id, bytes] of found) values[id] = decodeKey(type, bytes);
      return values;
    },

    async set(data) {
      const keys = keyTypes.flatMap((type) => changesOf(type, data[type] ?? {}));
      if (keys.length === 0) return;
      const release = await locks.acquire(keys.filter(isLocked).map(({ id }) => id));
      try {
        if (!(await isKnownList(store, deviceId, keys))) await store.commit(deviceId, { keys });
      } finally {
        release();
      }
    },

    async clear() {
      const credentials = await store.loadCredentials(deviceId);
      await store.clearCredentials(deviceId, credentials === null ? {} : { credentials });
    },
  };
};
