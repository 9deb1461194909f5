/** Kept files in a folder, with a subfolder per device. */
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, copyFile, readdir } from 'node:fs/promises';
import { dirname, join, resolve, relative } from 'node:path';
import { type KeptDraft, type KeptFiles, type KeptName, MediaFileMissing } from '../domain/messages/kept-media.ts';
import { Draft, asUnavailable, assertRoom } from './draft.ts';

const pieceBytes = 262_144;

export interface FolderOptions {
  readonly path: string;
  readonly flush: boolean;
}

const flushFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
};

/** This process may lack the right to read a parent folder. */
const flushIfReadable = (path: string): Promise<void> =>
  flushFolder(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
  });

/** Creates a device's folder, and flushes it and its parents before the first file, even if a crashed process has created it. */
const folderMaker = (root: string, flush: boolean) => {
  const flushed = new Map<string, Promise<void>>();
  const flushNames = async (top: string): Promise<void> => {
    for (let at = root; ; at = dirname(at)) {
      await flushIfReadable(at);
      if (at === top || at === dirname(at)) return;
    }
  };
  return async (folder: string): Promise<void> => {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!flush) return;
    if (made !== undefined) flushed.delete(folder);
    const top = dirname(made !== undefined && made.length < root.length ? made : root);
    const flushing = flushed.get(folder) ?? flushNames(top);
    flushed.set(folder, flushing);
    await flushing.catch((error: unknown) => {
      flushed.delete(folder);
      throw error;
    });
  };
};

async function* piecesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  try {
    for (let at = from; at < to;) {
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, to - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export const folderFiles = ({ path, flush }: FolderOptions): KeptFiles => {
  const root = resolve(path);
  const makeFolder = folderMaker(root, flush);
  const folderOf = ({ deviceId }: KeptName): string => join(root, String(deviceId));
  const pathOf = (name: KeptName): string => join(folderOf(name), name.file);
  const draftOf = (name: KeptName): string => `${pathOf(name)}.part`;
  const draft = async (name: KeptName): Promise<KeptDraft> => {
    // Overwrites what a killed process has left.
    const file = await open(draftOf(name), 'w', 0o600);
    const written = new Draft(file, path);
    return {
      write: (piece) => written.write(piece),
      keep: () =>
        asUnavailable(async () => {
          if (flush) await file.datasync();
          await file.close();
          await rename(draftOf(name), pathOf(name));
          if (flush) await flushFolder(folderOf(name));
        }),
      async drop() {
        await file.close().catch(() => undefined);
        await rm(draftOf(name), { force: true });
      },
    };
  };
  return {
    place: path,
    create: (name, expectedBytes) =>
      asUnavailable(async () => {
        await makeFolder(folderOf(name));
        await assertRoom(path, expectedBytes);
        return draft(name);
      }),
    read: async (name, from, to) => {
      const file = await open(pathOf(name), 'r').catch((cause: unknown) => {
        throw new MediaFileMissing(`${pathOf(name)} cannot be opened`, { cause });
      });
      const { size } = await file.stat();
      if (size >= to) return piecesOf(file, from, to);
      await file.close();
      throw new MediaFileMissing(`${pathOf(name)} is shorter than it was`);
    },
    remove: (name) =>
      asUnavailable(async () => {
        await rm(draftOf(name), { force: true });
        await rm(pathOf(name), { force: true });
      }),
    close: async () => undefined,
  };
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const unlessMissing = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** Copies files the target lacks; kept files never change. Returns their number. */
export const copyKeptFiles = async (from: string, to: string): Promise<number> => {
  let copied = 0;
  for (const entry of (await unlessMissing(readdir(from, { recursive: true, withFileTypes: true }))) ?? []) {
    const { name, parentPath } = entry;
    const folder = join(to, relative(from, parentPath));
    const target = join(folder, name);
    if (!entry.isFile() || name.endsWith('.part') || existsSync(target)) continue;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = `${target}.part`;
    if ((await unlessMissing(copyFile(join(parentPath, name), draft).then(() => true))) === null) continue;
    await rename(draft, target);
    copied += 1;
  }
  return copied;
};
