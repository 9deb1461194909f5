/** A webhook endpoint for tests: a real HTTP server that records requests and answers as configured. */
import assert from 'node:assert/strict';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { EventEnvelope } from '../../src/domain/event.ts';
import { eventually } from './wait.ts';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body. */
  readonly event: EventEnvelope;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `hang`: never answers. `reset`: cuts the connection. */
export type Behaviour = Reply | 'hang' | 'reset';

type Answer = (received: Received) => Behaviour | Promise<Behaviour>;

export interface Receiver extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly received: readonly Received[];
  /** Number of connections ever made to it. */
  readonly connections: number;
  /** Applies from now on; 200 at first. */
  answer(answer: Answer | Behaviour): void;
  /** Waits until `count` matching requests have arrived. */
  until(count: number, fits?: (received: Received) => boolean, timeoutMs?: number): Promise<readonly Received[]>;
  /** Waits until all connections are closed: everything posted by a killed process has then arrived. */
  left(): Promise<unknown>;
  close(): Promise<void>;
}

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const parse = (body: string): EventEnvelope => {
  try {
    return JSON.parse(body) as EventEnvelope;
  } catch {
    return { id: '', type: 'test', timestamp: '', deviceId: 0, data: body };
  }
};

const give = (response: ServerResponse, behaviour: Behaviour): void => {
  if (behaviour === 'hang') return;
  if (behaviour === 'reset') response.socket?.destroy();
  else response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
};

/** `port`: reuse that of an earlier one; 0 for a free one. `host`: any loopback address. */
export const startReceiver = async (port = 0, host = '127.0.0.1'): Promise<Receiver> => {
  const received: Received[] = [];
  let connections = 0;
  let open = 0;
  let answer: Answer = () => ({ status: 200 });
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    void (async () => {
      const body = await read(request);
      const { url = '/', method = '' } = request;
      const one: Received = { path: url, method, headers: headersOf(request), body, event: parse(body) };
      received.push(one);
      give(response, await answer(one));
    })().catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    connections += 1;
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const actual = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${actual}`,
    port: actual,
    received,
    get connections() {
      return connections;
    },
    answer(given) {
      answer = typeof given === 'function' ? given : () => given;
    },
    until: (count, fits = () => true, timeoutMs = 30_000) =>
      eventually(
        `${count} webhook posts`,
        () => {
          const fitting = received.filter(fits);
          return fitting.length >= count && fitting;
        },
        timeoutMs,
      ),
    left: () => eventually('no connection', () => open === 0),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/**
 * Checks the signature with the official package. With `any` age the signature is compared instead, since the package refuses old
 * timestamps and tests may move the clock.
 */
export const verify = (secret: string, { headers, body }: Received, age: 'recent' | 'any' = 'recent'): void => {
  const webhook = new Webhook(secret);
  if (age === 'recent') {
    webhook.verify(body, headers);
    return;
  }
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = webhook.sign(headers['webhook-id'] ?? '', sentAt, body);
  assert.ok((headers['webhook-signature'] ?? '').split(' ').includes(expected), 'the signature is wrong');
};
