/** Free disk space: media leaves what the database on the same disk needs. */
import { statfs } from 'node:fs/promises';
import { MediaStoreUnavailable } from '../domain/messages/kept-media.ts';
import { messageOf } from '../errors.ts';

const maxReserved = 1_073_741_824;
const reservedPart = 0.05;

const mb = (size: number): string => `${Math.round(size / 1_048_576).toLocaleString('en-US')} MB`;

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
