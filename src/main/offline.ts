/** Work on a data folder without a running service, for the command line. */
export { backupFolder, folderWasRestored, restoreFolder } from '../store/backup.ts';
export { checkFolder, checkPostgres } from '../store/migrations/check.ts';
export { moveToPostgres } from '../store/move.ts';
export { postgresWasRestored } from '../store/restore-postgres.ts';
export { rotateSecret } from '../store/rotate.ts';
export { rotateSharedSecret } from '../store/rotate-postgres.ts';
export { checkUp, type Finding } from './check-up.ts';
