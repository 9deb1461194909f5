/** Messages about disk errors: full, read-only, broken. */
import { isUnavailable, storeAway } from '../../errors.ts';

/** Primary result codes; extended ones have them in the low byte. */
const byResult: Readonly<Record<number, string>> = {
  5: 'another program has locked it',
  6: 'another program has locked it',
  8: 'it is read-only',
  10: 'the disk does not work',
  11: 'the database is damaged; restore a backup',
  13: 'the disk is full; make room',
  14: 'a file cannot be opened or made',
  26: 'handset.db is no database; restore a backup',
};

const byCode: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; make room',
  EDQUOT: 'the quota of the disk is used up; make room',
  EROFS: 'it is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EIO: 'the disk does not work',
};

export const diskErrorOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (isUnavailable(error)) return diskErrorOf(error.cause);
  if ('errcode' in error && typeof error.errcode === 'number') return byResult[error.errcode & 0xff] ?? null;
  return 'code' in error ? (byCode[String(error.code)] ?? null) : null;
};

/** SQLITE_IOERR, any extended code: a read, write or flush failed, so the file's state is in doubt. */
export const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 10;

/** Errors only the operator can fix become Unavailable; the log has the details. */
export const inOurTerms = (error: unknown): unknown => (diskErrorOf(error) === null ? error : storeAway(error));

export const inPlainWords = (error: unknown, dataDir: string): unknown => {
  const words = diskErrorOf(error);
  return words === null ? error : new Error(`The data folder ${dataDir} cannot be used: ${words}`, { cause: error });
};
