/** A look at the database of a folder, also while a service uses it: nothing is written. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { lockFolder } from './lock.ts';
import { databaseOf } from './open.ts';
import { makeSealer } from '../sealing/sealer.ts';
import { loadSecret } from '../sealing/secret.ts';
import { join } from 'node:path';

export interface DatabaseState {
  readonly bytes: number;
  readonly sound: boolean;
  /** What the check of the database says. */
  readonly verdict: string;
  /** Another process has the folder. */
  readonly inUse: boolean;
  /** A rotation of the secret is unfinished. */
  readonly rotating: boolean;
  /** Whether the secret opens it; null: there is nothing to try it on. */
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

/** Null when there is no database yet. */
export const inspectDatabase = async (dataDir: string, secret: string | null): Promise<DatabaseState | null> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) return null;
  const inUse = isInUse(dataDir);
  const database = new DatabaseSync(path, { timeout: 2_000 });
  try {
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
  } finally {
    database.close();
  }
};
