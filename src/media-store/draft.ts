/** A file being written, with checks of free disk space. */
import { type FileHandle, statfs } from 'node:fs/promises';
import { MediaStoreUnavailable } from '../domain/messages/kept-media.ts';
import { messageOf } from '../errors.ts';

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

const maxReserved = 1_073_741_824;
const reservedPart = 0.05;

const mb = (size: number): string => `${Math.round(size / 1_048_576).toLocaleString('en-US')} MB`;

/** Free disk space: media leaves what the database on the same disk needs. */
export const assertRoom = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, blocks, bsize } = await statfs(folder).catch((error: unknown) => {
    throw new MediaStoreUnavailable(messageOf(error), { cause: error });
  });
  const reserve = Math.min(maxReserved, blocks * bsize * reservedPart);
  if (bavail * bsize - bytes >= reserve) return;
  throw new MediaStoreUnavailable(
    `${mb(bavail * bsize)} are left on the disk of ${folder}, ${mb(reserve)} of them reserved for the database: make room`,
  );
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
