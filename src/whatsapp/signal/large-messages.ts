/**
 * A thread, as the bridge has no AES instructions: 260 kB would block the event loop for 8 ms, and a message that is 25,000 others ahead for 200 ms
 * (2026-11-29). It takes 25 MB, and ends when idle.
 */
import { Worker } from 'node:worker_threads';
import type { KeyPair } from '../library/bridge.ts';
import { fewKeys } from './session-record.ts';

/** Ciphertexts of this length or more, in bytes; a shorter one takes less than 1 ms. */
export const largeBytes = 32_768;
export const isLarge = ({ length }: Uint8Array, jump: number): boolean => length >= largeBytes || jump > fewKeys;
const idleMs = 30_000;

export interface LargeMessage {
  readonly type: 'session' | 'sender-key';
  readonly record: Uint8Array;
  readonly identity: KeyPair;
  readonly registrationId: number;
  readonly ciphertext: Uint8Array;
}

/** With the advanced record; or the bridge's reason for a failure. */
export type Decrypted = { readonly plaintext: Uint8Array; readonly record: Uint8Array } | { readonly refused: string };

/** Next to this file, or to the bundle. */
const workerFile = new URL('./large-message-worker.ts', import.meta.url);

interface Thread {
  readonly worker: Worker;
  readonly waiting: ((decrypted: Decrypted | null) => void)[];
  idle: NodeJS.Timeout | null;
}

let thread: Thread | null = null;

const start = (): Thread => {
  const worker = new Worker(workerFile);
  const started: Thread = { worker, waiting: [], idle: null };
  const end = (): void => {
    if (thread === started) thread = null;
    for (const resolve of started.waiting.splice(0)) resolve(null);
  };
  worker.on('message', (decrypted: Decrypted) => {
    started.waiting.shift()?.(decrypted);
    if (started.waiting.length > 0) return;
    worker.unref();
    started.idle = setTimeout(() => {
      end();
      void worker.terminate();
    }, idleMs).unref();
  });
  worker.on('error', end);
  worker.on('exit', end);
  return started;
};

/** Null if the thread cannot run: the caller decrypts it. */
export const decryptInThread = (message: LargeMessage): Promise<Decrypted | null> => {
  thread ??= start();
  const { worker, waiting, idle } = thread;
  if (idle !== null) clearTimeout(idle);
  worker.ref();
  return new Promise((resolve) => {
    waiting.push(resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(message);
  });
};
