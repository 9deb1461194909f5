/** Inspects the database of a folder, even while a service uses it; writes nothing. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseOf, assertReleasedFile } from '../open-sqlite.ts';
import { lockFolder } from '../sqlite/lock.ts';
import { makeSealer } from '../sealing/sealer.ts';
import { loadSecret } from '../sealing/secret.ts';
import { join } from 'node:path';

export const countKept = (dataDir: string): { readonly files: number; readonly bytes: number } => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) return { files: 0, bytes: 0 };
  using database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const query = "select count(*) as files, coalesce(sum(bytes), 0) as bytes from kept_media where state = 'kept'";
  const row = database.prepare(query).get();
  return { files: Number(row?.['files']), bytes: Number(row?.['bytes']) };
};

export interface DatabaseState {
  readonly bytes: number;
  readonly sound: boolean;
  readonly verdict: string;
  readonly inUse: boolean;
  readonly rotating: boolean;
  readonly opens: boolean | null;
}

const isInUse = (dataDir: string): boolean => {
  const path = join(dataDir, 'lock');
  if (!existsSync(path)) return false;
  try {
    lockFolder(dataDir, path).release();
    return false;
  } catch {
    return true;
  }
};

const opensWith = (dataDir: string, given: string | null, marker: unknown): boolean | null => {
  if (!(marker instanceof Uint8Array)) return null;
  try {
    makeSealer(loadSecret(dataDir, given, false)).openJson(marker, 'seal check');
    return true;
  } catch {
    return false;
  }
};

/** Null if there is no database yet. Throws DevelopmentData. */
export const inspectDatabase = async (dataDir: string, secret: string | null): Promise<DatabaseState | null> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) return null;
  assertReleasedFile(path);
  const inUse = isInUse(dataDir);
  using database = new DatabaseSync(path, { timeout: 2_000 });
  database.exec('pragma query_only = on');
  const verdict = String(database.prepare('pragma quick_check(1)').get()?.['quick_check']);
  const marker = database.prepare('select value from meta where name = ?');
  return {
    bytes: statSync(path).size,
    sound: verdict === 'ok',
    verdict,
    inUse,
    rotating: marker.get('rotation') !== undefined,
    opens: opensWith(dataDir, secret, marker.get('seal check')?.['value']),
  };
};
