/** Ids of messages in the network's form. */
import { randomUUID } from 'node:crypto';

/** An id as the network's own apps for the web make them: 72 random bits, of a UUID's the first ones and the last. */
export const makeMessageId = (): string => {
  // Node draws the bits of many UUIDs at once.
  const uuid = randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
};
