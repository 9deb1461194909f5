/** One process per data folder: a lock that the operating system takes back when the process dies. */
import { DatabaseSync } from 'node:sqlite';

export interface FolderLock {
  release(): void;
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === 5;

/** Holds a write transaction on a small database: others can read the owner's pid, but not begin one. */
export const lockFolder = (dataDir: string, path: string): FolderLock => {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('begin immediate');
    lock.exec('create table if not exists owner (pid integer not null)');
    lock.exec('delete from owner');
    lock.prepare('insert into owner (pid) values (?)').run(process.pid);
    lock.exec('commit');
    lock.exec('begin immediate');
  } catch (error) {
    const refused = isBusy(error) ? new Error(inUse(lock, dataDir), { cause: error }) : error;
    lock.close();
    throw refused;
  }
  return {
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
};

const inUse = (lock: DatabaseSync, dataDir: string): string => {
  let owner = '';
  try {
    const row = lock.prepare('select pid from owner').get();
    if (row !== undefined) owner = ` (pid ${String(row['pid'])})`;
  } catch {
    // The owner is still writing its pid; the message is clear without it.
  }
  return `The data folder ${dataDir} is in use by another Handset process${owner}: stop that first`;
};
