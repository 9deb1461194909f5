/** Timestamps in request bodies: RFC 3339. */
import { Type } from 'typebox';
import { invalidRequest } from '../../errors.ts';

const rule = 'must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z';
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const timestampMember = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description, errorMessage: rule });

/** Milliseconds; throws InvalidRequest naming the member. */
export const parseTimestamp = (member: string, text: string): number => {
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  // Past the year 9999 it could not be written as one.
  if (Number.isNaN(time) || time > latest) throw invalidRequest(`${member} ${rule}`);
  return time;
};
