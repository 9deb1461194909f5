/** Images are read in a process of their own, one at a time: it has no secrets, little memory, and can be ended at any moment. */
import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutgoingImage } from '../../domain/messages/outgoing.ts';
import { HandsetError } from '../../errors.ts';
import type { Answer, Asked } from './image-answer.ts';

/** Beside this file, or beside the bundle. */
const entry = fileURLToPath(new URL('./image-child.ts', import.meta.url));
/** The start of the process included; the largest image that is read takes a tenth of it. */
const maxMs = 30_000;
const idleMs = 60_000;

const invalid = (message: string): HandsetError => new HandsetError('InvalidImage', message);

const start = (): ChildProcess => {
  const compiled = getCompileCacheDir();
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=64'],
    // Nothing of the service's own, which has its secret there.
    env: {
      MALLOC_ARENA_MAX: '2',
      ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Its death is seen by `exit`; what else fails on the way to it ends it.
  child.on('error', () => child.kill('SIGKILL'));
  return child;
};

/** It keeps the service from ending only while somebody waits for an image. */
const hold = (child: ChildProcess, isHeld: boolean): void => {
  if (isHeld) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
};

export class ImageProcess {
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Throws InvalidImage, or what the signal is aborted with: the process is ended then, and the next image gets a new one. */
  prepare(bytes: Uint8Array, caption: string | null, signal?: AbortSignal): Promise<OutgoingImage> {
    const prepared = this.#last.then(() => this.#prepare({ bytes, caption }, signal));
    this.#last = prepared.catch(() => undefined);
    return prepared;
  }

  /** Id of the process; null while none is running. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  close(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  async #prepare(asked: Asked, signal?: AbortSignal): Promise<OutgoingImage> {
    signal?.throwIfAborted();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child ??= start();
    const child = this.#child;
    hold(child, true);
    try {
      const answer = await this.#ask(child, asked, signal);
      if ('image' in answer) return { ...answer.image, bytes: answer.image.bytes ?? asked.bytes };
      if ('refused' in answer) throw invalid(answer.refused);
      throw new Error(`an image could not be read: ${answer.failed}`);
    } finally {
      hold(child, false);
      this.#idle = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  #ask(child: ChildProcess, asked: Asked, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const end = (error: unknown): void => {
        stop();
        if (this.#child === child) this.close();
        reject(error);
      };
      const answered = (answer: Answer): void => {
        stop();
        resolve(answer);
      };
      const died = (): void => end(invalid('Image takes too much memory to be read'));
      const aborted = (): void => end(signal?.reason);
      const timer = setTimeout(() => end(invalid('Image takes too long to be read')), maxMs);
      const stop = (): void => {
        clearTimeout(timer);
        child.off('message', answered).off('exit', died);
        signal?.removeEventListener('abort', aborted);
      };
      child.on('message', answered).once('exit', died);
      signal?.addEventListener('abort', aborted);
      // A process that dies while it is sent the image does not take it to its end.
      child.send(asked, (error) => {
        if (error !== null) died();
      });
    });
  }
}
