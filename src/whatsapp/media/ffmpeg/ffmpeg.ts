/** Runs ffmpeg on one file: in a limited process without network access, on unlinked files. */
import { spawn } from 'node:child_process';
import { accessSync, constants as fileConstants, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Unfit } from '../containers/container.ts';

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

const words = (options: string): readonly string[] => options.split(' ');

/** Phones decode H.264 up to 1080 lines, with even dimensions. */
const fitted = 'scale=w=min(1920\\,iw):h=min(1920\\,ih):force_original_aspect_ratio=decrease:force_divisible_by=2';
const h264 = words('-c:v libx264 -preset veryfast -crf 24 -profile:v high -pix_fmt yuv420p');
const aac = words('-c:a aac -b:a 128k -ac 2');
const copiedVideo = words('-c:v copy');
const copiedAudio = words('-c:a copy');
/** The index comes first, for playback while loading. ffmpeg then opens its output twice, which works here only on Linux. */
const mp4 = words(process.platform === 'linux' ? '-movflags +faststart -f mp4' : '-f mp4');

/** Compliant tracks are copied; `isGif`: without sound. */
export const toVideo = ({ keep }: Unfit, isGif: boolean): readonly string[] => [
  ...words(isGif ? '-map 0:v:0' : '-map 0:v:0 -map 0:a:0?'),
  ...(keep.video ? copiedVideo : ['-vf', fitted, ...h264]),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

/** The largest square around the middle, of at most as many pixels as a video note has on phones. */
const squared = [
  'scale=w=trunc(iw*sar/2)*2:h=trunc(ih/2)*2',
  'crop=w=min(iw\\,ih):h=min(iw\\,ih)',
  'scale=w=min(640\\,iw):h=min(640\\,ih)',
  'setsar=1',
].join(',');

/** As `toVideo`, for a video note: cut to a square. */
export const toNote = ({ keep }: Unfit): readonly string[] => [
  ...words('-map 0:v:0 -map 0:a:0?'),
  ...(keep.video ? copiedVideo : ['-vf', squared, ...h264]),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

export const toAudio = ({ keep }: Unfit): readonly string[] => [
  ...words('-map 0:a:0'),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

export const toVoice = words('-map 0:a:0 -c:a libopus -b:a 32k -vbr on -application voip -ac 1 -ar 48000 -f ogg');

export const toThumbnail = (size: number): readonly string[] => [
  ...words('-map 0:v:0 -an -frames:v 1 -vf'),
  `thumbnail=24,scale=${size}:${size}:force_original_aspect_ratio=decrease`,
  ...words('-c:v mjpeg -pix_fmt yuvj420p -q:v 6 -f image2pipe'),
];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, fileConstants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Finds ffmpeg, which is optional: on the path, or at the configured place. */
export const findFfmpeg = (setting: string | null, path: string): string | null => {
  if (setting === 'none') return null;
  if (setting !== null) {
    if (isProgram(setting)) return setting;
    throw new Error(`HANDSET_FFMPEG must be the path of a program, or none; it is "${setting}"`);
  }
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'ffmpeg')).find(isProgram) ?? null;
};
