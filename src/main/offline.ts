/** Work on a data folder without a running service, for the command line. */
export { copyKeptFiles } from '../media-store/copy.ts';
export { backupFolder, folderWasRestored, restoreFolder } from '../store/maintenance/backup.ts';
export { compactFolder } from '../store/maintenance/compact.ts';
export { countKept } from '../store/maintenance/kept-count.ts';
export { checkFolder, checkPostgres } from '../store/migrations/check.ts';
export { moveToPostgres } from '../store/maintenance/move.ts';
export { postgresWasRestored } from '../store/maintenance/restore-postgres.ts';
export { rotateSecret } from '../store/maintenance/rotate.ts';
export { rotateSharedSecret } from '../store/maintenance/rotate-postgres.ts';
export { checkUp } from './check-up.ts';
