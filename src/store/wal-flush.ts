/** Bounds what a power loss can take: the log goes to the disk soon after each commit, away from the main thread. */
import { closeSync, fdatasync, openSync } from 'node:fs';

/** A quarter of a second of commits is what a power loss may cost. */
const flushAfterMs = 250;

export interface WalFlush {
  /** There is a commit that the disk may not have yet. */
  readonly dirty: () => void;
  /** Resolves when no flush is under way and the file is closed. */
  readonly close: () => Promise<void>;
}

/**
 * `path` is the write-ahead log: it is there as long as its database is open, and SQLite holds no lock on it that closing
 * a second descriptor could drop.
 */
export const makeWalFlush = (path: string, failed: (error: Error) => void): WalFlush => {
  const file = openSync(path, 'r+');
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let again = false;

  const flush = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      fdatasync(file, (error) => {
        if (error !== null) failed(error);
        resolve();
      });
    });
    running = null;
    if (again) schedule();
  };
  const schedule = (): void => {
    again = false;
    timer ??= setTimeout(() => {
      timer = null;
      running = flush();
    }, flushAfterMs).unref();
  };
  return {
    dirty: () => {
      if (running === null) schedule();
      else again = true;
    },
    close: async () => {
      await running;
      if (timer !== null) clearTimeout(timer);
      closeSync(file);
    },
  };
};
