/** Starts: until the service is ready, and until 50 devices are connected again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Grown } from '../support/grown.ts';
import { Installation, bundle, freePort } from '../support/installation.ts';
import { type Measured, type Scale, median, rounded } from '../support/measured.ts';

/** Connected again after a stop and after a kill, in seconds, with the CPU time of the service until all are there. */
const comeback = async (devices: number) => {
  await using grown = await Grown.open();
  const { service } = grown;
  await grown.grow(devices);
  // The first connection of all fetches what a later one has.
  await grown.connect();
  await service.end('SIGTERM');
  const afterStop = await grown.connect();
  const cpu = service.cpuSeconds;
  await service.end('SIGKILL');
  return { afterStop, cpu, afterKill: await grown.connect() };
};

const coldStarts = async (count: number): Promise<{ readonly times: number[]; readonly cpu: number[] }> => {
  const times: number[] = [];
  const cpu: number[] = [];
  for (let n = 0; n < count; n += 1) {
    // An empty folder each time: what the first start makes is made, too.
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
    const service = new Installation(await freePort(), { HANDSET_DATA_DIR: dataDir });
    service.start();
    times.push(await service.ready());
    cpu.push(service.cpuSeconds * 1000);
    await service.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
  return { times, cpu };
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  // No ratios.
  if (short) return { figures: {} };
  bundle();
  const cold = await coldStarts(9);
  const fifty = await comeback(50);
  return {
    figures: {
      coldStartMs: rounded(median(cold.times)),
      coldStartCpuMs: rounded(median(cold.cpu)),
      reconnect50Seconds: rounded(fifty.afterStop),
      reconnect50AfterKillSeconds: rounded(fifty.afterKill),
      reconnect50CpuSeconds: rounded(fifty.cpu),
    },
  };
};
