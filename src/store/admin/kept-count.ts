/** How much media is kept beside the database of a folder. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseOf } from '../open-sqlite.ts';

export const countKept = (dataDir: string): { readonly files: number; readonly bytes: number } => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) return { files: 0, bytes: 0 };
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const query = "select count(*) as files, coalesce(sum(bytes), 0) as bytes from kept_media where state = 'kept'";
    const row = database.prepare(query).get();
    return { files: Number(row?.['files']), bytes: Number(row?.['bytes']) };
  } finally {
    database.close();
  }
};
