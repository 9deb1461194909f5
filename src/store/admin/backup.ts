/** Backup, restoration and compaction of a data folder; a backup also works while the service runs (docs/operations.md). */
import {
  existsSync,
  statSync,
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { DatabaseSync, backup } from 'node:sqlite';
import { assertReleasedFile, databaseOf, withFolder, withDatabase } from '../open-sqlite.ts';
import { inPlainWords } from '../sqlite/disk-errors.ts';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import { sync } from '../base/durable-files.ts';
import { type Generation, raise, readGeneration } from '../cluster/generation.ts';
import { assertSecret, hasMarker, opensMarker } from '../sealing/data-markers.ts';
import { verifyAll } from './rotate.ts';
import { makeSealer } from '../sealing/sealer.ts';
import { loadSecret } from '../sealing/secret.ts';

interface Compaction {
  readonly before: number;
  readonly after: number;
}

export const compactFolder = (dataDir: string): Promise<Compaction> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) throw new Error(`There is no data in ${dataDir}: HANDSET_DATA_DIR names the folder`);
  return withFolder(dataDir, async () => {
    assertReleasedFile(path);
    const before = statSync(path).size;
    using database = new DatabaseSync(path);
    try {
      database.exec('pragma synchronous = full; pragma secure_delete = on; pragma auto_vacuum = incremental; vacuum');
      database.exec('pragma wal_checkpoint(truncate)');
    } catch (error) {
      throw inPlainWords(error, dataDir);
    }
    return { before, after: statSync(path).size };
  });
};

/** Copies one snapshot on another thread, whatever is written meanwhile. */
const allPages = 2_147_483_647;

const assertSound = (path: string): void => {
  using database = new DatabaseSync(path);
  try {
    const [verdict] = database.prepare('pragma quick_check(1)').all();
    if (verdict?.['quick_check'] !== 'ok') throw new Error(String(verdict?.['quick_check']));
    database.prepare('select count(*) from meta').get();
  } catch (error) {
    throw new Error(`${basename(path)} is no sound backup (${messageOf(error)})`, { cause: error });
  }
};

const markAsCopy = (path: string): void => {
  using database = new DatabaseSync(path);
  database.exec('update generation set copied = 1');
};

/** Writes the database, without the secret, atomically to a file of mode 0600. Returns its size. */
export const backupFolder = async (
  dataDir: string,
  target: string,
  tell: (done: number, total: number) => void = () => undefined,
): Promise<number> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) throw new Error(`There is no data in ${dataDir}: HANDSET_DATA_DIR names the folder`);
  assertReleasedFile(path);
  const file = resolve(target);
  if (existsSync(file)) throw new Error(`${target} exists already`);
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}`);
  const draft = `${file}.${process.pid}.tmp`;
  const source = new DatabaseSync(path, { timeout: 10_000 });
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const total = statSync(path).size;
    const watch = setInterval(() => tell(Math.min(statSync(draft).size, total - 1), total), 200);
    await backup(source, draft, { rate: allPages }).finally(() => clearInterval(watch));
    tell(total, total);
    assertSound(draft);
    markAsCopy(draft);
    chmodSync(draft, 0o600);
    sync(draft);
    renameSync(draft, file);
    sync(dirname(file));
    return statSync(file).size;
  } finally {
    source.close();
    for (const rest of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) rmSync(rest, { force: true });
  }
};

export interface Restoration {
  readonly verified: number;
  /** Kept beside the new one; null if there was none. */
  readonly former: string | null;
}

const prepare = (staged: string, secret: string, said: Generation | null): Promise<number> =>
  withDatabase(staged, makeSealer(secret), async (context) => {
    if ((await hasMarker(context, 'rotation')) || !(await opensMarker(context, context.sealer, 'seal check'))) {
      throw new Error('The backup is sealed with another secret: set HANDSET_SECRET to the one of its time');
    }
    const verified = await verifyAll(context, context.sealer);
    await context.database.write(() => raise(context, said, true));
    return verified;
  });

const setAside = (path: string): string | null => {
  if (!existsSync(path)) return null;
  const former = `${path}.before-restore-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  try {
    const database = new DatabaseSync(path);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
  } catch {
    // Damage may be the reason for restoring, so the old database is kept as it is, with its log.
    for (const rest of ['-wal', '-shm']) if (existsSync(path + rest)) copyFileSync(path + rest, former + rest);
  }
  linkSync(path, former);
  for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
  return former;
};

/** Replaces the database with a backup. If it throws, nothing has changed. */
export const restoreFolder = async (dataDir: string, file: string, given: string | null): Promise<Restoration> => {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
  return withFolder(dataDir, async () => {
    const path = databaseOf(dataDir);
    const staging = join(dataDir, 'restore.tmp');
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    try {
      const staged = join(staging, 'handset.db');
      copyFileSync(file, staged);
      chmodSync(staged, 0o600);
      assertSound(staged);
      const verified = await prepare(staged, loadSecret(dataDir, given, false), await readGeneration(dataDir));
      sync(staged);
      const former = setAside(path);
      renameSync(staged, path);
      sync(dataDir);
      return { verified, former };
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
};

/** After a database file was replaced by hand: all devices begin new sessions. Returns their number. */
export const folderWasRestored = (dataDir: string, given: string | null): Promise<number> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) throw new Error(`There is no data in ${dataDir}: HANDSET_DATA_DIR names the folder`);
  return withFolder(dataDir, () =>
    withDatabase(path, makeSealer(loadSecret(dataDir, given, false)), async (context) => {
      await assertSecret(context, dataDir);
      const said = await readGeneration(dataDir);
      return (await context.database.write(() => raise(context, said, true))).restored ?? 0;
    }),
  );
};
