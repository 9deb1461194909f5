/** Runs ffmpeg on one file: in a limited process without network access, on unlinked files. */
import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

/** Wall time per second of CPU time, as others need the processors too. */
const slowness = 3;
/** Total time limit; the request's deadline is usually shorter. */
const maxMs = 120_000;
/** Address space, of which libraries alone take 500 MB (ffmpeg 5.1, 2026-11-23); the rest is for large pictures. */
const maxMemoryKb = 2 * 1_048_576;
const blockBytes = 512;
const maxWords = 4_096;

/** Without playlists and file lists, which could name other files. */
const formats = [
  '3gp,aac,ac3,aiff,amr,ape,asf,avi,caf,flac,flv,gif,image2,m4a,matroska,mj2,mov,mp3,mp4,mpeg,mpegts,ogg,opus,3g2',
  'wav,webm,webp_pipe,wv',
].join(',');

/** Process limits any user may set; unsupported ones are ignored. */
const limited = [
  'ulimit -c 0',
  'ulimit -t "$2" 2>/dev/null',
  `ulimit -v ${maxMemoryKb} 2>/dev/null`,
  'ulimit -f "$1" 2>/dev/null',
  'shift 2',
  'exec "$@"',
].join('; ');

const input = 'file:/dev/fd/3';
const output = 'file:/dev/fd/4';

export interface Conversion {
  readonly source: FileHandle;
  readonly target: FileHandle;
  readonly options: readonly string[];
  readonly maxBytes: number;
  readonly maxCpuSeconds: number;
  readonly signal?: AbortSignal | undefined;
}

export class ConversionFailed extends Error {}

const baseOptions = ['-nostdin', '-hide_banner', '-v', 'error', '-protocol_whitelist', 'file,pipe'];
const inputOptions = ['-format_whitelist', formats, '-threads', '1', '-i', input];
/** Keeps the program and its version out of the output. */
const nameless = '-fflags +bitexact -flags:v +bitexact -flags:a +bitexact';
/** More threads help little, and slow down others. */
const outputOptions = `-map_metadata -1 -map_chapters -1 -sn -dn -threads 1 ${nameless} -y ${output}`.split(' ');

const argumentsOf = (ffmpeg: string, { options, maxBytes, maxCpuSeconds }: Conversion): string[] => [
  '-c',
  limited,
  'sh',
  String(Math.ceil(maxBytes / blockBytes)),
  String(maxCpuSeconds),
  ffmpeg,
  ...baseOptions,
  ...inputOptions,
  ...options,
  ...outputOptions,
];

/** Lowers the priority below the service's, which must stay responsive. */
const yieldTo = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended.
  }
};

export const runFfmpeg = (ffmpeg: string, conversion: Conversion): Promise<void> =>
  new Promise((resolve, reject) => {
    const { source, target, maxCpuSeconds, signal } = conversion;
    signal?.throwIfAborted();
    const child = spawn('/bin/sh', argumentsOf(ffmpeg, conversion), {
      // Without the service's environment, which contains its secret.
      env: {},
      // A signal to the service's group must not end a conversion that a request waits for.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', source.fd, target.fd],
    });
    yieldTo(child.pid);
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(0, maxWords);
    });
    const kill = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(kill, Math.min(slowness * maxCpuSeconds * 1_000, maxMs));
    signal?.addEventListener('abort', kill);
    const stop = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
    };
    child.once('error', (cause) => {
      stop();
      reject(new ConversionFailed('ffmpeg could not be started', { cause }));
    });
    child.once('close', (code, ended) => {
      stop();
      if (signal?.aborted === true) reject(signal.reason);
      else if (code === 0) resolve();
      else reject(new ConversionFailed(`ffmpeg ended with ${ended ?? code}: ${words}`));
    });
  });
