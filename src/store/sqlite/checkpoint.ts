/** Checkpoints flush the disk for tens of milliseconds, so a thread (25 MB) does them. A busy store keeps its thread. */
import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** Log length in 4 kB pages that triggers a checkpoint. */
const worthPages = 2000;
/** A store is busy when its log fills within this time. */
const busyMs = 10_000;

export interface Checkpoints {
  readonly consider: () => void;
  readonly close: () => Promise<void>;
}

const workerFile = new URL('./checkpoint-worker.ts', import.meta.url);

const tell = (worker: Worker, message: 'checkpoint' | 'close'): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(message);
};

export const makeCheckpoints = (
  connection: DatabaseSync,
  path: string,
  failed: (error: Error) => void,
): Checkpoints => {
  // NOOP only reports the log's length.
  const look = connection.prepare('pragma wal_checkpoint(noop)');
  let worker: Worker | null = null;
  const leaving = new Set<Worker>();
  let busy = false;
  let broken = false;
  let stays = false;
  let lastAt = -Infinity;

  const end = (ended: Worker): void => {
    worker = null;
    leaving.add(ended);
    tell(ended, 'close');
  };
  const start = (): Worker => {
    const started = new Worker(workerFile, { workerData: path });
    started.unref();
    started.on('message', (failure: string | null) => {
      busy = false;
      if (failure !== null) failed(new Error(failure));
      if (!stays && worker === started) end(started);
    });
    started.on('exit', () => leaving.delete(started));
    // Without the thread, SQLite checkpoints within a commit when the log is long (`connection.ts`).
    started.on('error', (error: Error) => {
      broken = true;
      failed(error);
    });
    return started;
  };

  return {
    consider: () => {
      if (busy || broken) return;
      const { log, checkpointed } = look.get() ?? {};
      if (Number(log) - Number(checkpointed) < worthPages) return;
      const now = performance.now();
      stays = now - lastAt < busyMs;
      lastAt = now;
      worker ??= start();
      busy = true;
      tell(worker, 'checkpoint');
    },
    close: async () => {
      if (broken) return;
      if (worker !== null) end(worker);
      await Promise.all(
        [...leaving].map((ended) => {
          ended.ref();
          return once(ended, 'exit');
        }),
      );
    },
  };
};
