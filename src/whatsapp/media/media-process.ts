/** Reads media in a process of its own, one file at a time: it has no secrets, little memory, and can be killed at any moment. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFacts } from '../../domain/messages/links.ts';
import type { MediaRequest, RandomAccessBytes } from '../../domain/messages/files.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { Facts } from './containers/inspect.ts';
import type { Judged } from './containers/container.ts';
import type { ConvertedImage } from './image.ts';
import type { Answer, Piece, Prepared, Task, Wanted } from './media-answer.ts';
import type { StickerPicture } from './sticker.ts';
import { Turns } from './turns.ts';

const entry = fileURLToPath(new URL('./media-child.ts', import.meta.url));

interface Budget {
  readonly cpu: number;
  readonly whole: number;
}

/** The largest images take a fifth of it (measured 2026-11-26). */
const forImages: Budget = { cpu: 10_000, whole: 30_000 };
/** A container is read in parts: an hour of sound takes a twentieth of it. On a busy machine its process waits long for a processor. */
const forContainers: Budget = { cpu: 2_000, whole: 60_000 };
const forPages: Budget = { cpu: 2_000, whole: 5_000 };
const startCpu = 1_000;
const idleMs = 60_000;
/** A third of the weight of the service, by sched(7): lower, a busy machine would starve it. */
const niceness = 5;

const names: Readonly<Record<Task['task'], string>> = {
  page: 'Page',
  image: 'Image',
  picture: 'Image',
  sticker: 'Image',
  video: 'Video',
  note: 'Video',
  audio: 'Audio',
  voice: 'Audio',
};

const refusal = (task: Task['task'], what: 'memory' | 'long'): HandsetError => {
  const message = `${names[task]} takes too ${what === 'long' ? 'long' : 'much memory'} to be read`;
  return names[task] === 'Image' ? new HandsetError('InvalidImage', message) : invalidRequest(message);
};

const budgetOf = (task: Task): Budget => {
  if (task.task === 'page') return forPages;
  return 'bytes' in task ? forImages : forContainers;
};

/** In ms, from Linux's ticks of 10 ms (proc_pid_stat(5)); null on other systems. */
const cpuOf = (pid: number | undefined): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
};

/** Calls `late` once a budget is used up. Returns a function that cancels. */
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
    // Without the service's environment, which contains its secret.
    env: {
      MALLOC_ARENA_MAX: '2',
      ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // `exit` reports its death; other failures kill it.
  child.on('error', () => child.kill('SIGKILL'));
  if (isNice && child.pid !== undefined) setPriority(child.pid, niceness);
  return child;
};

/** The process keeps the service alive only while somebody waits for it. */
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

export interface ProcessLimits {
  readonly maxResident: number;
  readonly isNice: boolean;
}

/** About 90 MB with the decoder; images that need more than the rest are refused before they are read (`image.ts`). */
const ofImages: ProcessLimits = { maxResident: 320 * 1_048_576, isNice: false };
/** Containers are read in parts; more means a table with false claims. */
export const ofContainers: ProcessLimits = { maxResident: 192 * 1_048_576, isNice: true };

export class MediaProcess {
  readonly #limits: ProcessLimits;
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  readonly #turns = new Turns();

  constructor(limits = ofImages) {
    this.#limits = limits;
  }

  /** Throws InvalidImage, or the signal's reason; then the process is killed, and the next file gets a new one. */
  async image(bytes: Uint8Array, request: MediaRequest): Promise<ConvertedImage> {
    const image = await this.#do<Prepared<ConvertedImage>>({ task: 'image', bytes }, noBytes, request);
    return { ...image, bytes: image.bytes ?? bytes };
  }

  async picture(bytes: Uint8Array, request: MediaRequest): Promise<Uint8Array> {
    return this.#do<Uint8Array>({ task: 'picture', bytes }, noBytes, request);
  }

  async sticker(bytes: Uint8Array, request: MediaRequest): Promise<StickerPicture> {
    const sticker = await this.#do<Prepared<StickerPicture>>({ task: 'sticker', bytes }, noBytes, request);
    return { ...sticker, bytes: sticker.bytes ?? bytes };
  }

  page(bytes: Uint8Array, contentType: string | null, request: MediaRequest): Promise<PageFacts | null> {
    return this.#do({ task: 'page', bytes, contentType }, noBytes, request);
  }

  /** Throws InvalidRequest for a damaged file, and the signal's reason. */
  inspect<Kind extends keyof Facts>(
    file: RandomAccessBytes,
    kind: Kind,
    request: MediaRequest,
  ): Promise<Judged<Facts[Kind]>> {
    return this.#do({ task: kind, size: file.size }, (offset, length) => file.read(offset, length), request);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  close(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

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
      // The child may exit before the whole file is written.
      child.send(task, (error) => {
        if (error !== null) died();
      });
    });
  }
}
