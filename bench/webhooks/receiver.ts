/** The receiver of webhooks in a process of its own: notes when each post came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../support/child.ts';
import { Count } from '../support/count.ts';

interface Arrival {
  readonly deviceId: number;
  /** What tells the event from all others. */
  readonly name: string;
  /** ms since the epoch. */
  readonly at: number;
}

const arrivals: Arrival[] = [];
let count = 0;
const come = new Count();

interface Body {
  readonly deviceId: number;
  readonly data: { readonly messageId?: string; readonly message?: { readonly text: string } };
}

/** Answers at once; under `/dead` never. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/dead') return;
    const at = performance.timeOrigin + performance.now();
    response.writeHead(200).end();
    const { deviceId, data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
    count += 1;
    come.add();
    arrivals.push({ deviceId, name: data.message?.text ?? data.messageId ?? '', at });
  });
  request.on('error', () => undefined);
});

serveCommands({
  start: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    }),
  count: () => count,
  heard: (more: number) => come.more(more),
  arrivals: () => arrivals.splice(0),
});

export type { Arrival };
