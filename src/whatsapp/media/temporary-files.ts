/** Temporary files, unlinked as soon as they are open, so that they end with the process. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

export class TemporaryFiles {
  readonly #folder: string;
  /** Throws if the disk space is reserved; called for a new file and after writing much. */
  readonly assertRoom: () => Promise<void>;

  constructor(folder: string, assertRoom: () => Promise<void> = async () => {}) {
    this.#folder = folder;
    this.assertRoom = assertRoom;
  }

  /** Removes files of a process that was killed between opening and unlinking. */
  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async create(): Promise<FileHandle> {
    await this.assertRoom();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, randomUUID());
    const file = await open(path, 'wx+', 0o600);
    try {
      await rm(path, { force: true });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
