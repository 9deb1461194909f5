/** Images and videos that are sent together (docs/spec/messages.md, Albums). */
import { HandsetError } from '../../errors.ts';

export const albumSize = { min: 2, max: 30 } as const;

/** Names the file in its error, by its index in the request. */
export const ofItem = (error: unknown, index: number): unknown => {
  if (!(error instanceof HandsetError)) return error;
  const { name, message, cause, retryAfterSeconds, reason } = error;
  const options = { cause, reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new HandsetError(name, `items[${index}]: ${message}`, options);
};
