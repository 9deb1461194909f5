/** Classifies errors of PostgreSQL and of the connection to it. */
import { DatabaseError } from 'pg';
import { storeAway } from '../../errors.ts';

/** serialization_failure, deadlock_detected: retried. */
export const again = new Set(['40001', '40P01']);

export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

export const tooManyConnections = '53300';

export const isAway = (error: unknown): boolean =>
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P0|08|53|25006)/.test(codeOf(error)) ||
  (error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout (exceeded|expired))/i.test(
      error.message,
    ));

const isBusy = (error: unknown): boolean => /^(55P03|57014)$/.test(codeOf(error)) || again.has(codeOf(error));

/** Errors only the operator can fix become Unavailable. */
export const inOurTerms = (error: unknown): unknown => (isAway(error) || isBusy(error) ? storeAway(error) : error);

/** Whether a failed `commit` may have succeeded. The server's own errors rule it out, even 57P01; a pooler's do not. */
export const leavesOpen = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return error.routine === undefined;
  return !(error instanceof Error && error.message.endsWith(' is not queryable'));
};
