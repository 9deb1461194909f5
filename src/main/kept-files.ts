/** Opens the media store at start, and refuses to lose kept media. */
import { rm } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import type { Stores } from '../domain/stores.ts';
import { draftFolder, openMediaStore } from '../media-store/open.ts';

export const openKeptFiles = async (
  config: Config,
  { keptMedia }: Pick<Stores, 'keptMedia'>,
): Promise<KeptFiles | null> => {
  // Left by a killed process.
  await rm(draftFolder(config.dataDir), { recursive: true, force: true });
  const files = openMediaStore(config);
  if (files !== null) return files;
  const keepers = await keptMedia.keepers();
  if (keepers === 0) return null;
  throw new Error(
    `HANDSET_MEDIA_STORE must be set: ${keepers} ${keepers === 1 ? 'device keeps its' : 'devices keep their'} media, and nodes on one database share no data folder. Set it to a bucket (s3://…) or to a folder that all nodes share`,
  );
};
