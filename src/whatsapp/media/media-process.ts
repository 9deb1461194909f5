/** Media is read in a process of its own, one file at a time: it has no secrets, little memory, and can be ended at any moment. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFacts } from '../../domain/messages/links.ts';
import type { MediaRequest, RandomAccessBytes } from '../../domain/messages/media.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { Facts } from './containers/inspect.ts';
import type { Judged } from './containers/judged.ts';
import type { ConvertedImage } from './image.ts';
import type { Answer, Piece, Prepared, Task, Wanted } from './media-answer.ts';
import type { StickerPicture } from './sticker.ts';
import { Turns } from './turns.ts';

/** Beside this file, or beside the bundle. */
const entry = fileURLToPath(new URL('./media-child.ts', import.meta.url));

/** Milliseconds of processor time, and of time: others need the processors, too. */
interface Budget {
  readonly cpu: number;
  readonly whole: number;
}

/** The largest images take a fifth of it (measured 2026-11-26). */
const forImages: Budget = { cpu: 10_000, whole: 30_000 };
/** A container is read in parts: an hour of sound takes a twentieth of it. */
const forContainers: Budget = { cpu: 2_000, whole: 15_000 };
const forPages: Budget = { cpu: 2_000, whole: 5_000 };
/** Processor time for a start of the process, which comes with its first file. */
const startCpu = 1_000;
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

const budgetOf = (task: Task): Budget => {
  if (task.task === 'page') return forPages;
  return 'bytes' in task ? forImages : forContainers;
};

/** Processor time of a process in ms, in Linux's ticks of 10 ms (proc_pid_stat(5)); null where the system does not tell. */
const cpuOf = (pid: number | undefined): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
};

/** Calls `late` once the process has used up a budget. Returns a function that cancels the call. */
const watchBudget = ({ pid }: ChildProcess, { cpu, whole }: Budget, late: () => void): (() => void) => {
  const began = { at: performance.now(), cpu: cpuOf(pid) };
  const look = (): void => {
    const took = performance.now() - began.at;
    const now = cpuOf(pid);
    const used = began.cpu === null || now === null ? took : now - began.cpu;
    const left = Math.min(cpu - used, whole - took);
    if (left <= 0) late();
    else timer = setTimeout(look, left);
  };
  let timer = setTimeout(look, Math.min(cpu, whole));
  return () => clearTimeout(timer);
};

const start = ({ maxResident, isNice }: ProcessLimits): ChildProcess => {
  const compiled = getCompileCacheDir();
  const child = fork(entry, [String(maxResident)], {
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
  if (isNice && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
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

/** Bounds of a process. */
export interface ProcessLimits {
  /** Bytes of memory at which it ends. */
  readonly maxResident: number;
  /** Leaves the processors to others. */
  readonly isNice: boolean;
}

/** With the decoder loaded it has about 90 MB; images that need more than is left are refused before they are read (`image.ts`). */
const ofImages: ProcessLimits = { maxResident: 320 * 1_048_576, isNice: false };
/** Containers are read in parts; what is more than this is a table that claims too much. */
export const ofContainers: ProcessLimits = { maxResident: 192 * 1_048_576, isNice: true };

export class MediaProcess {
  readonly #limits: ProcessLimits;
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  readonly #turns = new Turns();

  constructor(limits = ofImages) {
    this.#limits = limits;
  }

  /** Throws InvalidImage, or what the signal is aborted with: the process is ended then, and the next file gets a new one. */
  async image(bytes: Uint8Array, request: MediaRequest): Promise<ConvertedImage> {
    const image = await this.#do<Prepared<ConvertedImage>>({ task: 'image', bytes }, noBytes, request);
    return { ...image, bytes: image.bytes ?? bytes };
  }

  /** Throws as `image` does. */
  async picture(bytes: Uint8Array, request: MediaRequest): Promise<Uint8Array> {
    return this.#do<Uint8Array>({ task: 'picture', bytes }, noBytes, request);
  }

  /** Throws as `image` does. */
  async sticker(bytes: Uint8Array, request: MediaRequest): Promise<StickerPicture> {
    const sticker = await this.#do<Prepared<StickerPicture>>({ task: 'sticker', bytes }, noBytes, request);
    return { ...sticker, bytes: sticker.bytes ?? bytes };
  }

  /** See `Network.readPage`. */
  page(bytes: Uint8Array, contentType: string | null, request: MediaRequest): Promise<PageFacts | null> {
    return this.#do({ task: 'page', bytes, contentType }, noBytes, request);
  }

  /** Holds a file against the form in which it goes out. Throws InvalidRequest for a damaged one, and what the signal is aborted with. */
  inspect<Kind extends keyof Facts>(
    file: RandomAccessBytes,
    kind: Kind,
    request: MediaRequest,
  ): Promise<Judged<Facts[Kind]>> {
    return this.#do({ task: kind, size: file.size }, (offset, length) => file.read(offset, length), request);
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
  #do<Result>(task: Task, read: RandomAccessBytes['read'], request: MediaRequest): Promise<Result> {
    return this.#turns.run(request, () => this.#run<Result>(task, read, request.signal));
  }

  async #run<Result>(task: Task, read: RandomAccessBytes['read'], signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#idle !== null) clearTimeout(this.#idle);
    const given = budgetOf(task);
    const budget = this.#child === null ? { cpu: given.cpu + startCpu, whole: given.whole } : given;
    this.#child ??= start(this.#limits);
    const child = this.#child;
    hold(child, true);
    try {
      const answer = await this.#ask<Result>({ child, budget, signal }, task, read);
      if ('result' in answer) return answer.result;
      if ('refused' in answer) throw new HandsetError(answer.refused.name, answer.refused.message);
      throw new Error(`a file could not be read: ${answer.failed}`);
    } finally {
      hold(child, false);
      this.#idle = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  #ask<Result>(
    { child, budget, signal }: { child: ChildProcess; budget: Budget; signal: AbortSignal | undefined },
    task: Task,
    read: RandomAccessBytes['read'],
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
      const forget = watchBudget(child, budget, () => end(refusal(task.task, 'long')));
      const stop = (): void => {
        forget();
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
