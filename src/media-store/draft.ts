/** A file being written, with checks of free disk space. */
import type { FileHandle } from 'node:fs/promises';
import { MediaStoreUnavailable } from '../domain/messages/kept-media.ts';
import { messageOf } from '../errors.ts';
import { assertRoom } from './room.ts';

const lookEveryBytes = 1_048_576;

export const asUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MediaStoreUnavailable
      ? error
      : new MediaStoreUnavailable(messageOf(error), { cause: error });
  }
};

export class Draft {
  readonly file: FileHandle;
  readonly #folder: string;
  length = 0;
  #looked = 0;

  constructor(file: FileHandle, folder: string) {
    this.file = file;
    this.#folder = folder;
  }

  async write(piece: Uint8Array): Promise<void> {
    if (this.length - this.#looked > lookEveryBytes) {
      await assertRoom(this.#folder, 0);
      this.#looked = this.length;
    }
    await asUnavailable(() => this.file.appendFile(piece));
    this.length += piece.length;
  }
}
