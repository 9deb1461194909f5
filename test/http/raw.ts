/** A client that writes bytes: for requests that no well-behaved client makes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  /** Parsed JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

const parse = (text: string): RawAnswer => {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (Buffer.byteLength(body) !== length) throw new Error(`malformed answer: ${JSON.stringify(text)}`);
  return { status: Number(head.split(' ')[1]), head, body: body === '' ? undefined : JSON.parse(body) };
};

export interface RawClient extends Disposable {
  write(text: string | Uint8Array): void;
  /** All that came until the server closed the connection. */
  closed(): Promise<string>;
  answer(): Promise<RawAnswer>;
  /** Resolves when `text` has come. */
  until(text: string): Promise<string>;
  readonly socket: Socket;
}

export const rawClient = async (port: number): Promise<RawClient> => {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const closed = async (): Promise<string> => {
    if (!socket.closed) await once(socket, 'close');
    return received;
  };
  return {
    socket,
    write: (text) => void socket.write(text),
    closed,
    answer: async () => parse(await closed()),
    async until(text) {
      while (!received.includes(text)) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return received;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
};

/** A request with a body, head and body apart. */
export const requestHead = (method: string, path: string, key: string, headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: test', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');
