/** Work on a data folder without a running service, for the command line. */
export { copyKeptFiles } from '../media-store/folder.ts';
export { backupFolder, folderWasRestored, restoreFolder } from '../store/admin/backup.ts';
export { compactFolder } from '../store/admin/backup.ts';
export { countKept } from '../store/admin/inspect-sqlite.ts';
export { checkFolder, checkPostgres } from '../store/admin/check-migrations.ts';
export { moveToPostgres } from '../store/admin/move.ts';
export { postgresWasRestored } from '../store/admin/shared-database.ts';
export { rotateSecret } from '../store/admin/rotate.ts';
export { rotateSharedSecret } from '../store/admin/shared-database.ts';
export { checkUp } from './check-up.ts';
