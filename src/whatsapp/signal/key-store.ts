/** The key store: each `set` is one commit, nothing is cached. */
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '../library/types.ts';
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
