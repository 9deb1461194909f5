/** The first bytes of an answer's body; the rest is read away while it is short, so that the connection can be kept. */
import type { Readable } from 'node:stream';

const excerptBytes = 1024;
const drainBytes = 65_536;

/** Never throws: the status has come, so the answer counts, and a body that breaks off is an excerpt all the same. */
export const readExcerpt = async (body: Readable): Promise<string> => {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < excerptBytes) kept.push(chunk.subarray(0, excerptBytes - bytes));
      bytes += chunk.length;
      if (bytes > drainBytes) break;
    }
  } catch {
    // The deadline, or the other side went away.
  }
  return Buffer.concat(kept).toString('utf8');
};
