/** The error for a full disk. */
import { MediaStoreUnavailable } from '../../domain/messages/kept-media.ts';
import { HandsetError } from '../../errors.ts';

const retrySeconds = 60;

export const isDiskFull = (error: unknown): boolean =>
  error instanceof MediaStoreUnavailable ||
  (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'));

/** The rest of the disk is reserved for the database. */
export const diskFull = (cause: unknown): HandsetError =>
  new HandsetError('Unavailable', 'The disk of the service is full; try again later', {
    cause,
    retryAfterSeconds: retrySeconds,
    reason: 'disk_full',
  });
