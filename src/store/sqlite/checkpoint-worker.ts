/** Worker thread of `checkpoint.ts`: moves the write-ahead log into the database. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const connection = new DatabaseSync(String(workerData), { timeout: 0 });
connection.exec('pragma synchronous = normal');

parentPort?.on('message', (message) => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  let failure: string | null = null;
  try {
    // PASSIVE: as much as possible without waiting.
    connection.prepare('pragma wal_checkpoint(passive)').all();
  } catch (error) {
    // Unflushed pages do not count as moved: the next checkpoint writes them again.
    failure = error instanceof Error ? error.message : String(error);
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(failure);
});
