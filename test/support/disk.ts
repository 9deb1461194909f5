/** A data folder on a disk that loses power, is slow, or fails: `disk.c`, built here and preloaded into the service. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Orders {
  /** Duration of each flush. */
  readonly flushMs?: number;
  /** Calls that fail with EIO. */
  readonly failing?: 'flushes' | 'writes' | 'both';
  /** Kills the process at this flush since the last power cut; the first is 1. */
  readonly cutAt?: { readonly flush: number; readonly when: 'before' | 'after' };
}

export interface Disk {
  /** The data folder of the service. */
  readonly dataDir: string;
  /** Environment required by the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Applies from now on; absent orders do nothing. */
  order(orders: Orders): void;
  /** Flushes since the last power cut. */
  readonly flushes: number;
  /** After the process has died: removes what was not flushed. */
  losePower(): void;
  /** After the process has died: counts the folder's content as flushed. */
  settle(): void;
  /** After the process has died: empties the folder without a power cut. */
  erase(): void;
  remove(): Promise<void>;
}

const failures = { flushes: 1, writes: 2, both: 3 };

/** Compiled once per version of its source; null if that is impossible. */
const build = (): string | null => {
  const source = join(import.meta.dirname, 'disk.c');
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(tmpdir(), `handset-disk-${userInfo().uid}-${version}.so`);
  if (existsSync(library)) return library;
  const draft = `${library}.${process.pid}`;
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', draft, source, '-ldl', '-lpthread'], { stdio: 'pipe' });
  } catch (error) {
    // Only a missing compiler is accepted.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  renameSync(draft, library);
  return library;
};

/** Null on a system without `LD_PRELOAD` or a C compiler. */
export const makeDisk = async (): Promise<Disk | null> => {
  if (process.platform !== 'linux') return null;
  const library = build();
  if (library === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'handset-power-'));
  const [dataDir, copy, orders] = ['data', 'copy', 'orders'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(dataDir, { mode: 0o700 });
  mkdirSync(copy);
  // The next process takes the files as they are.
  const settle = (): void => {
    rmSync(copy, { recursive: true });
    mkdirSync(copy);
  };
  return {
    dataDir,
    env: { LD_PRELOAD: library, DISK_FOLDER: dataDir, DISK_COPY: copy, DISK_ORDERS: orders },
    order({ flushMs = 0, failing, cutAt }) {
      const fail = failing === undefined ? 0 : failures[failing];
      const text = `${flushMs} ${fail} ${cutAt?.flush ?? 0} ${cutAt?.when === 'after' ? 1 : 0}\n`;
      // Replaced atomically.
      writeFileSync(`${orders}.new`, text);
      renameSync(`${orders}.new`, orders);
    },
    get flushes() {
      const path = join(copy, 'syncs');
      return existsSync(path) ? Number(readFileSync(path).readBigUInt64LE()) : 0;
    },
    losePower() {
      // A folder whose names were never flushed is empty.
      const names = join(copy, 'names');
      const lines = existsSync(names)
        ? readFileSync(names, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [];
      for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
      for (const line of lines) {
        const [name, content] = line.split(' ') as [string, string];
        const kept = join(copy, content);
        if (content === 'folder') mkdirSync(join(dataDir, name), { mode: 0o700 });
        else if (existsSync(kept)) copyFileSync(kept, join(dataDir, name));
        else writeFileSync(join(dataDir, name), '');
      }
      settle();
    },
    settle,
    erase() {
      for (const path of [dataDir, copy]) {
        rmSync(path, { recursive: true });
        mkdirSync(path, { mode: 0o700 });
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
