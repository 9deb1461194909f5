/** Copies of the service's database, made and put back in the ways of docs/operations.md. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Random } from '../support/random.ts';
import type { World } from './world.ts';

export interface Copy {
  /** The service is stopped. Resolves with the way, in words. */
  putBack(): Promise<string>;
}

const files = ['handset.db', 'handset.db-wal'];

const putFiles = async (folder: string, dataDir: string): Promise<void> => {
  for (const name of [...files, 'handset.db-shm']) {
    await rm(join(dataDir, name), { force: true });
    if (existsSync(join(folder, name))) await cp(join(folder, name), join(dataDir, name));
  }
};

/** `handset backup` while the service runs; null when that fails, as it may on a disk that does. */
export const backUp = async (world: World, random: Random, folder: string): Promise<Copy | null> => {
  const { service, disk, dataDir } = world;
  const file = join(folder, 'handset.db');
  try {
    await service.command('backup', file);
  } catch {
    return null;
  }
  return {
    async putBack() {
      if (random.chance(0.5)) {
        await service.command('restore', file, '--yes');
        if (random.chance(0.5)) disk?.losePower();
        return 'handset restore';
      }
      await putFiles(folder, dataDir);
      const fresh = random.chance(0.5);
      if (fresh) await rm(join(dataDir, 'generation.json'));
      disk?.settle();
      return `handset backup, put back by hand${fresh ? ' in a folder that knows nothing' : ''}`;
    },
  };
};

/** The files, while the service is stopped. */
export const copyFiles = async ({ service, disk, dataDir }: World, random: Random, folder: string): Promise<Copy> => {
  for (const name of files) {
    if (existsSync(join(dataDir, name))) await cp(join(dataDir, name), join(folder, name));
  }
  return {
    async putBack() {
      await putFiles(folder, dataDir);
      const told = random.chance(0.5);
      if (told) await rm(join(dataDir, 'generation.json'));
      disk?.settle();
      if (told) await service.command('restore', '--database-was-restored');
      return `files put back${told ? ', and told of' : ''}`;
    },
  };
};
