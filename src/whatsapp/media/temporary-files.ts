/** Temporary files of this process: without a name from the moment they are opened, so that they end with it. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

export class TemporaryFiles {
  readonly #folder: string;
  /** Throws where the disk is needed for other things: asked for a new file, and by those who write much. */
  readonly assertRoom: () => Promise<void>;

  constructor(folder: string, assertRoom: () => Promise<void> = async () => {}) {
    this.#folder = folder;
    this.assertRoom = assertRoom;
  }

  /** Removes what a process has left that was killed between the opening of a file and the end of its name. */
  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** An empty file for reading and writing, for this user alone. Close it to give its space back. */
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
