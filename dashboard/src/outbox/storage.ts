/** Keeps unsent messages over a reload of the page: their words in the session storage of the tab, their files in IndexedDB, which holds more. */
import { type Entry, fileKeysOf } from './entry.ts';

const name = 'handset.outbox';
const dayMs = 86_400_000;

const isList = (value: unknown): value is readonly Entry[] => Array.isArray(value);

export const storedEntries = (): readonly Entry[] => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]');
    return isList(value) ? value : [];
  } catch {
    return [];
  }
};

export const storeEntries = (entries: readonly Entry[]): void => {
  const unsent = entries.filter(({ state }) => state !== 'sent');
  try {
    if (unsent.length === 0) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(unsent));
  } catch {
    // Storage is full or off. Messages are sent anyway, but a reload would lose them.
  }
};

interface StoredFile {
  readonly file: File;
  readonly at: number;
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')));
  });

const open = async (): Promise<IDBDatabase> => {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore('files'));
  return settled(request);
};

const withFiles = async <T>(work: (files: IDBObjectStore) => Promise<T>): Promise<T | undefined> => {
  try {
    const database = await open();
    try {
      return await work(database.transaction('files', 'readwrite').objectStore('files'));
    } finally {
      database.close();
    }
  } catch {
    // As with the session storage.
    return undefined;
  }
};

export const storeFile = async (key: string, file: File): Promise<void> => {
  const stored: StoredFile = { file, at: Date.now() };
  await withFiles((files) => settled(files.put(stored, key)));
};

export const storedFile = async (key: string): Promise<File | undefined> =>
  withFiles(async (files) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `storeFile` writes here
    const stored = (await settled(files.get(key))) as StoredFile | undefined;
    return stored?.file;
  });

export const dropFile = async (key: string): Promise<void> => {
  await withFiles((files) => settled(files.delete(key)));
};

/** Drops files of tabs that were closed. Those of other open tabs are younger, or their messages are no longer sent. */
export const dropOldFiles = async (): Promise<void> => {
  await withFiles(async (files) => {
    for (const key of await settled(files.getAllKeys())) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `storeFile` writes here
      const stored = (await settled(files.get(key))) as StoredFile | undefined;
      if (stored !== undefined && Date.now() - stored.at > dayMs) await settled(files.delete(key));
    }
  });
};

/** Called on sign-out. */
export const forgetOutbox = (): void => {
  for (const entry of storedEntries()) for (const key of fileKeysOf(entry)) void dropFile(key);
  sessionStorage.removeItem(name);
};
