/** Ports for those who must know theirs before they listen: outside of the range from which the system gives ports away, so that nobody gets one meanwhile. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const [first, count] = [20_000, 12_000];
/** Each process looks from a place of its own. */
let next = (process.pid * 16) % count;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** A port that nothing listens on; another one each time. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
};
