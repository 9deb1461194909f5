/** One WebSocket on the server's side (RFC 6455): its handshake, what comes, and its end. Frames are written by `writeMessage`. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { makeSocketReader } from './socket-reader.ts';

/** RFC 6455, 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const PONG_HEAD = 0x8a;
/** An end without a reason. */
const CLOSE = Buffer.from([0x88, 0]);
/** As much as a frame of control may have. */
const MAX_CONTROL_BYTES = 125;

export interface SocketEvents {
  /** A message: the bytes of `data` from `from` to `to`, for the length of the call. */
  message(data: Buffer, from: number, to: number): void;
  closed(): void;
  /** What came was not understood, or could not be handled; the connection ends. */
  failed(error: unknown): void;
}

export class ServerSocket {
  readonly #stream: Duplex;
  #open = true;

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  /** Begins to hand over what comes; `head` is what has come with the request. */
  listen(events: SocketEvents, head: Buffer): void {
    const read = makeSocketReader(
      {
        message: (data, from, to) => {
          if (this.#open) events.message(data, from, to);
        },
        ping: (data) => {
          if (data.length <= MAX_CONTROL_BYTES)
            this.write(Buffer.concat([Buffer.from([PONG_HEAD, data.length]), data]));
        },
        close: () => this.close(),
      },
      MAX_MESSAGE_BYTES,
    );
    const take = (data: Buffer): void => {
      try {
        read(data);
      } catch (error) {
        events.failed(error);
        this.terminate();
      }
    };
    this.#stream.on('data', take);
    this.#stream.on('end', () => this.#stream.end());
    this.#stream.on('error', () => this.terminate());
    this.#stream.on('close', () => {
      this.#open = false;
      events.closed();
    });
    if (head.length > 0) take(head);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Whole frames. */
  write(frames: Uint8Array): void {
    if (this.#open) this.#stream.write(frames);
  }

  /** Says so to the client, after all that was written. */
  close(): void {
    if (!this.#open) return;
    this.write(CLOSE);
    this.#open = false;
    this.#stream.end();
  }

  /** At once. */
  terminate(): void {
    this.#open = false;
    this.#stream.destroy();
  }
}

/** Answers the request for an upgrade; null where it is not one to a WebSocket. */
export const acceptSocket = ({ method, headers }: IncomingMessage, stream: Duplex): ServerSocket | null => {
  const key = headers['sec-websocket-key'];
  const asked = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  if (!asked || key === undefined || headers['sec-websocket-version'] !== '13') {
    stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return null;
  }
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  return new ServerSocket(stream);
};
