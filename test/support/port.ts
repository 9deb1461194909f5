/** Ports that must be known in advance, outside of the system's ephemeral range so that nobody takes one meanwhile. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const [first, count] = [20_000, 12_000];
/** Processes start at different places. */
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

/** A free port, another one each time. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
};
