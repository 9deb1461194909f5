/** A long queue of pending deliveries: how fast it drains, and in how much memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child.ts';
import { until } from './figures.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`;

export interface Backlog {
  readonly pending: number;
  /** How many of them are waited for. */
  readonly drained: number;
  readonly chats: number;
}

interface Memory {
  readonly rss: number;
  readonly heap: number;
}

export const benchBacklog = async ({ pending, drained, chats }: Backlog): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
  const receiver = startChild('webhooks/receiver.ts');
  let outbox = startChild('webhooks/outbox.ts');
  try {
    const url = await receiver.ask<string>('start');
    await outbox.ask('open', dataDir);
    const [deviceId] = await outbox.ask<number[]>('devices', [`${url}/hook`]);
    await outbox.ask('fill', { deviceId, count: pending, chats });
    // A process that knows nothing of how the queue came to be.
    await outbox.stop();
    outbox = startChild('webhooks/outbox.ts');
    await outbox.ask('open', dataDir);
    const memory: string[] = [];
    const look = async (when: string): Promise<void> => {
      const { rss, heap } = await outbox.ask<Memory>('memory');
      memory.push(`${when} ${megabytes(rss)} (heap ${megabytes(heap)})`);
    };
    await look('before');
    const began = performance.now();
    await outbox.ask('dispatch');
    for (const share of [0.1, 0.5, 0.9]) {
      await until('a part of the queue', async () => (await receiver.ask<number>('count')) >= drained * share);
      await look(`at ${Math.round(drained * share)}`);
    }
    await until('the queue', async () => (await receiver.ask<number>('count')) >= drained);
    const seconds = (performance.now() - began) / 1000;
    console.log(`drain of ${drained} of ${pending} pending deliveries of one device, over ${chats} chats`);
    console.log(`  it took                     ${seconds.toFixed(1)} s`);
    console.log(`  deliveries a second         ${(drained / seconds).toFixed(0)}`);
    console.log(`  resident memory             ${memory.join(', ')}`);
  } finally {
    await Promise.all([outbox.stop(), receiver.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
};
