/** One process per data folder: a lock that the operating system takes back when the process dies. */
import { DatabaseSync } from 'node:sqlite';

export interface FolderLock {
  /** Idempotent. */
  release(): void;
}

/** SQLITE_BUSY. */
const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === 5;

/**
 * An open write transaction on a small database of its own. While it lasts others can still read the owner's pid, and
 * nobody else can begin one.
 */
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
    // The owner is just writing its pid; the message is clear without it.
  }
  return `The data folder ${dataDir} is in use by another Handset process${owner}`;
};
