/**
 * A server that hears posts and answers them as a plain one of node:http does, byte for byte, at half of its CPU time: what is measured shares the
 * machine with it. It knows what the posts of a webhook are: HTTP/1.1 with a length.
 */
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lengthOf = /\r\ncontent-length: *(\d+)/i;
/** Within so long an answer tells the same second. */
const dateMs = 500;

let date = { text: '', until: 0 };

const answer = (): string => {
  const now = performance.now();
  if (now >= date.until) date = { text: new Date().toUTCString(), until: now + dateMs };
  const head = `HTTP/1.1 200 OK\r\nDate: ${date.text}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n`;
  return `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
};

/** True: it is answered; false: it never is. */
export type Hear = (path: string, body: string) => boolean;

/** Reads the complete posts; returns the rest of the bytes. */
const hearAll = (socket: Socket, bytes: Buffer, hear: Hear): Buffer => {
  for (let start = 0; ;) {
    const end = bytes.indexOf(headEnd, start);
    if (end < 0) return bytes.subarray(start);
    const head = bytes.toString('latin1', start, end);
    const length = Number(lengthOf.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new Error(`A post without a length: ${head}`);
    const body = end + headEnd.length;
    if (bytes.length < body + length) return bytes.subarray(start);
    start = body + length;
    if (hear(head.split(' ', 2)[1]!, bytes.toString('utf8', body, start))) socket.write(answer(), 'latin1');
  }
};

/** On a port of its own; its URL. */
export const hearPosts = (hear: Hear): Promise<string> =>
  new Promise((resolve) => {
    const server: Server = createServer({ noDelay: true }, (socket) => {
      let rest: Buffer | null = null;
      socket.on('data', (chunk: Buffer) => {
        const left = hearAll(socket, rest === null ? chunk : Buffer.concat([rest, chunk]), hear);
        rest = left.length === 0 ? null : left;
      });
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
