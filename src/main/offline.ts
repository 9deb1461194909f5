/** Work on a data folder without a running service, for the command line. */
export { backupFolder, restoreFolder } from '../store/backup.ts';
export { moveToPostgres } from '../store/move.ts';
export { rotateSecret } from '../store/rotate.ts';
export { rotateSharedSecret } from '../store/rotate-postgres.ts';
export { checkUp, type Finding } from './check-up.ts';
