/** Small random values, out of a larger draw: asking the system for each of them costs ten times as much. */
import { randomFillSync } from 'node:crypto';

const drawn = Buffer.alloc(4096);
let used = drawn.length;

/** At most 4,096 bytes, which nobody else gets. */
export const randomOf = (size: number): Buffer => {
  if (used + size > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const result = Buffer.from(drawn.subarray(used, used + size));
  // What is a secret from now on is kept in one place.
  drawn.fill(0, used, used + size);
  used += size;
  return result;
};
