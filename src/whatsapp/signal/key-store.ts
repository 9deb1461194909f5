/** Baileys' store of keys on ours: each `set` is one commit, nothing is cached. */
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '../engine/types.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { decodeKey, encodeKey, type KeyType, keyTypes } from './key-codec.ts';
import { Locks } from './signal-records.ts';

const changesOf = <T extends KeyType>(type: T, entries: NonNullable<SignalDataSet[T]>): KeyChange[] =>
  Object.entries<SignalDataTypeMap[T] | null | undefined>(entries)
    .filter(([, value]) => value !== undefined)
    .map(([id, value]) => ({
      type,
      id,
      value: value === null || value === undefined ? null : encodeKey(type, value),
    }));

/** The records that the repository works on under a lock of the same name. */
const isLocked = ({ type }: KeyChange): boolean => type === 'session' || type === 'sender-key';

/** The engine writes the device's own list at each login, and it is the one that is there. */
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

export interface KeyStore extends SignalKeyStore {
  /** Called after each set. */
  readonly whenSet: Set<(data: SignalDataSet) => void>;
}

export const makeKeyStore = (options: {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  /** The repository's, so that a set waits for the operation under way. */
  readonly locks?: Locks;
}): KeyStore => {
  const { deviceId, store } = options;
  const whenSet: KeyStore['whenSet'] = new Set();
  const locks = options.locks ?? new Locks();
  return {
    whenSet,

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
      for (const tell of whenSet) tell(data);
    },

    /** Deletes all keys; the credentials stay. */
    async clear() {
      const credentials = await store.loadCredentials(deviceId);
      await store.clearCredentials(deviceId, credentials === null ? {} : { credentials });
    },
  };
};
