/** Times in requests, and the status of an answer. */
import { invalidRequest } from '../../errors.ts';
import { rule } from '../../contract/build.ts';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const parseTimestamp = (member: string, text: string): number => {
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || time > latest) throw invalidRequest(`${member} ${rule}`);
  return time;
};

export const ok = (message: string): { readonly code: 200; readonly message: string } => ({ code: 200, message });

export const accepted = (message: string): { readonly code: 202; readonly message: string } => ({ code: 202, message });
