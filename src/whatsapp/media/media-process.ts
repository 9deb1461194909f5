/** Media is read in a process of its own, one file at a time: it has no secrets, little memory, and can be ended at any moment. */
import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Mutex } from 'async-mutex';
import type { PageFacts } from '../../domain/messages/links.ts';
import type { RandomAccessBytes } from '../../domain/messages/media.ts';
import type { OutgoingImage } from '../../domain/messages/outgoing.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { Facts } from './containers/inspect.ts';
import type { Judged } from './containers/judged.ts';
import type { Answer, Piece, Prepared, Task, Wanted } from './media-answer.ts';
import type { StickerPicture } from './sticker.ts';

/** Beside this file, or beside the bundle. */
const entry = fileURLToPath(new URL('./media-child.ts', import.meta.url));
/** The start of the process included; the largest image, and a voice message of an hour, take a tenth to a third of it. */
const maxImageMs = 30_000;
const maxContainerMs = 15_000;
const maxPageMs = 2_000;
const idleMs = 60_000;

const names: Readonly<Record<Task['task'], string>> = {
  page: 'Page',
  image: 'Image',
  picture: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  voice: 'Audio',
};

/** Too much of time or memory. */
const refusal = (task: Task['task'], what: 'memory' | 'long'): HandsetError => {
  const message = `${names[task]} takes too ${what === 'long' ? 'long' : 'much memory'} to be read`;
  return names[task] === 'Image' ? new HandsetError('InvalidImage', message) : invalidRequest(message);
};

const maxMs = (task: Task): number => {
  if (task.task === 'page') return maxPageMs;
  return 'bytes' in task ? maxImageMs : maxContainerMs;
};

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

/** It keeps the service from ending only while somebody waits for it. */
const hold = (child: ChildProcess, isHeld: boolean): void => {
  if (isHeld) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
};

const noBytes: RandomAccessBytes['read'] = () => Promise.reject(new Error('there is no file to read from'));

export class MediaProcess {
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  /** One file at a time. */
  readonly #mutex = new Mutex();

  /** Throws InvalidImage, or what the signal is aborted with: the process is ended then, and the next file gets a new one. */
  async image(bytes: Uint8Array, caption: string | null, signal?: AbortSignal): Promise<OutgoingImage> {
    const image = await this.#do<Prepared<OutgoingImage>>({ task: 'image', bytes, caption }, noBytes, signal);
    return { ...image, bytes: image.bytes ?? bytes };
  }

  /** Throws as `image` does. */
  async picture(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#do<Uint8Array>({ task: 'picture', bytes }, noBytes, signal);
  }

  /** Throws as `image` does. */
  async sticker(bytes: Uint8Array, signal?: AbortSignal): Promise<StickerPicture> {
    const sticker = await this.#do<Prepared<StickerPicture>>({ task: 'sticker', bytes }, noBytes, signal);
    return { ...sticker, bytes: sticker.bytes ?? bytes };
  }

  /** See `Network.readPage`. */
  page(bytes: Uint8Array, contentType: string | null, signal: AbortSignal): Promise<PageFacts | null> {
    return this.#do({ task: 'page', bytes, contentType }, noBytes, signal);
  }

  /** Holds a file against the form in which it goes out. Throws InvalidRequest for a damaged one, and what the signal is aborted with. */
  inspect<Kind extends keyof Facts>(
    file: RandomAccessBytes,
    kind: Kind,
    signal?: AbortSignal,
  ): Promise<Judged<Facts[Kind]>> {
    return this.#do({ task: kind, size: file.size }, (offset, length) => file.read(offset, length), signal);
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

  /** `Result` is what `media-answer.ts` gives for the task. */
  #do<Result>(task: Task, read: RandomAccessBytes['read'], signal: AbortSignal | undefined): Promise<Result> {
    return this.#mutex.runExclusive(() => this.#run<Result>(task, read, signal));
  }

  async #run<Result>(task: Task, read: RandomAccessBytes['read'], signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child ??= start();
    const child = this.#child;
    hold(child, true);
    try {
      const answer = await this.#ask<Result>(child, task, read, signal);
      if ('result' in answer) return answer.result;
      if ('refused' in answer) throw new HandsetError(answer.refused.name, answer.refused.message);
      throw new Error(`a file could not be read: ${answer.failed}`);
    } finally {
      hold(child, false);
      this.#idle = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  #ask<Result>(
    child: ChildProcess,
    task: Task,
    read: RandomAccessBytes['read'],
    signal: AbortSignal | undefined,
  ): Promise<Answer<Result>> {
    return new Promise((resolve, reject) => {
      const end = (error: unknown): void => {
        stop();
        if (this.#child === child) this.close();
        reject(error);
      };
      const give = async ({ id, offset, length }: Wanted): Promise<void> => {
        const piece: Piece = { id, piece: await read(offset, length).catch(() => null) };
        if (child.connected) child.send(piece, () => undefined);
      };
      const told = (message: Answer<Result> | Wanted): void => {
        if ('offset' in message) return void give(message);
        stop();
        resolve(message);
      };
      const died = (): void => end(refusal(task.task, 'memory'));
      const aborted = (): void => end(signal?.reason);
      const timer = setTimeout(() => end(refusal(task.task, 'long')), maxMs(task));
      const stop = (): void => {
        clearTimeout(timer);
        child.off('message', told).off('exit', died);
        signal?.removeEventListener('abort', aborted);
      };
      child.on('message', told).once('exit', died);
      signal?.addEventListener('abort', aborted);
      // A process that dies while it is sent a file does not take it to its end.
      child.send(task, (error) => {
        if (error !== null) died();
      });
    });
  }
}
