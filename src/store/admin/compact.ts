/** Rewrites the database of a folder without its free pages, while no service runs on it; from then on the service gives free pages back by itself. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { assertReleasedFile, databaseOf, withFolder } from '../open-sqlite.ts';
import { inPlainWords } from '../sqlite/disk-errors.ts';

export interface Compaction {
  /** Bytes of the file. */
  readonly before: number;
  readonly after: number;
}

/** Throws an Error in plain words: the folder is in use, or the disk has no room for a second copy. */
export const compactFolder = (dataDir: string): Promise<Compaction> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) throw new Error(`There is no data in ${dataDir}`);
  return withFolder(dataDir, async () => {
    assertReleasedFile(path);
    const before = statSync(path).size;
    const database = new DatabaseSync(path);
    try {
      database.exec('pragma synchronous = full; pragma secure_delete = on; pragma auto_vacuum = incremental; vacuum');
      database.exec('pragma wal_checkpoint(truncate)');
    } catch (error) {
      throw inPlainWords(error, dataDir);
    } finally {
      database.close();
    }
    return { before, after: statSync(path).size };
  });
};
