/** A long queue of pending deliveries: how fast it drains, and in how much memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child.ts';
import { until } from './figures.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`;

export const benchBacklog = async ({ pending, chats }: { pending: number; chats: number }): Promise<void> => {
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
    const before = await outbox.ask<number>('memory');
    const began = performance.now();
    await outbox.ask('dispatch');
    await until('half of the queue', async () => (await receiver.ask<number>('count')) >= pending / 2);
    const during = await outbox.ask<number>('memory');
    await until('the whole queue', async () => (await receiver.ask<number>('count')) >= pending);
    const seconds = (performance.now() - began) / 1000;
    console.log(`drain of ${pending} pending deliveries of one device, over ${chats} chats`);
    console.log(`  it took                     ${seconds.toFixed(1)} s`);
    console.log(`  deliveries a second         ${(pending / seconds).toFixed(0)}`);
    console.log(`  resident memory             ${megabytes(before)} before, ${megabytes(during)} halfway`);
  } finally {
    await Promise.all([outbox.stop(), receiver.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
};
