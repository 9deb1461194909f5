/** Starts: until the service is ready, until its devices are connected again, and how long their list takes. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fill } from '../light/fill.ts';
import { startChild } from '../support/child.ts';
import { Installation, freePort } from '../support/installation.ts';
import { type Measured, type Scale, median, rounded } from '../support/measured.ts';
import { type Place, apiKey, numbersFrom } from '../support/stage.ts';

const opened = /^handset_sessions\{state="open"\} (\d+)$/m;

/** Seconds from the start of the process until so many sessions are open. */
const reconnect = async (service: Installation, devices: number): Promise<number> => {
  service.start();
  for (;;) {
    const metrics = await service.ask('/metrics');
    if (Number(opened.exec(metrics?.text ?? '')?.[1] ?? 0) >= devices) return service.age / 1000;
    if (service.age > 180_000) throw new Error(`not ${devices} sessions within three minutes`);
    await sleep(metrics === null ? 5 : 20);
  }
};

/** ms, the median of some lists of so many devices. */
const listMs = async (service: Installation): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    const began = performance.now();
    const answer = await service.ask('/v1/devices?limit=1000', apiKey);
    if (answer?.status !== 200) throw new Error(`the list answered ${answer?.status}`);
    times.push(performance.now() - began);
  }
  return median(times);
};

interface Comeback {
  readonly afterStop: number;
  readonly afterKill: number;
  /** CPU seconds of the service until all are there. */
  readonly cpu: number;
  readonly list: number;
  /** Of the process when all have been there for some seconds, not collected by hand. */
  readonly megabytes: number;
}

const comeback = async (devices: number): Promise<Comeback> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
  const sandbox = startChild('sandbox.ts');
  const filler = startChild('light/fill.ts');
  const place = await sandbox.ask<Place>('start');
  const service = new Installation(await freePort(), {
    HANDSET_DATA_DIR: dataDir,
    HANDSET_NETWORK: place.controlUrl,
    HANDSET_BOOTSTRAP_KEY: apiKey,
    HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
    HANDSET_RATE_LIMIT: '1000000',
  });
  try {
    service.start();
    await service.ready();
    await service.end('SIGTERM');
    const numbers = numbersFrom(4_915_700_000_000, devices);
    for (const number of numbers) {
      const body = JSON.stringify({ number, name: number });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${place.controlUrl}/phones`, { method: 'POST', headers, body });
    }
    await filler.ask('fill', { place, dataDir, numbers } satisfies Fill);
    // The first connection of all fetches what a later one has.
    await reconnect(service, devices);
    await service.end('SIGTERM');
    const afterStop = await reconnect(service, devices);
    const cpu = service.cpuSeconds;
    await service.end('SIGKILL');
    const afterKill = await reconnect(service, devices);
    const list = await listMs(service);
    await sleep(5_000);
    const { megabytes } = service;
    await service.end('SIGTERM');
    return { afterStop, afterKill, cpu, list, megabytes };
  } finally {
    await service.end('SIGKILL');
    await Promise.all([sandbox.stop(), filler.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
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
  // As `npm start` does before it starts.
  execFileSync(process.execPath, [join(import.meta.dirname, '..', '..', 'tools', 'bundle.ts')]);
  const cold = await coldStarts(short ? 3 : 9);
  const fifty = await comeback(50);
  const figures = {
    coldStartMs: rounded(median(cold.times)),
    coldStartCpuMs: rounded(median(cold.cpu)),
    reconnect50Seconds: rounded(fifty.afterStop),
    reconnect50AfterKillSeconds: rounded(fifty.afterKill),
    reconnect50CpuSeconds: rounded(fifty.cpu),
  };
  if (short) return { figures };
  const middle = await comeback(200);
  const thousand = await comeback(1000);
  return {
    figures: {
      ...figures,
      reconnect1000Seconds: rounded(thousand.afterStop),
      reconnect1000AfterKillSeconds: rounded(thousand.afterKill),
      reconnect1000CpuSeconds: rounded(thousand.cpu),
      list1000Ms: rounded(thousand.list),
      memory50Mb: rounded(fifty.megabytes),
      memory1000Mb: rounded(thousand.megabytes),
      memoryPerDeviceTo1000Mb: rounded((thousand.megabytes - fifty.megabytes) / 950),
    },
    growth: {
      reconnect: {
        title: 'Until all devices are connected again, a device',
        unit: 'ms',
        lines: [
          {
            name: 'after a restart',
            points: [
              [50, (1000 * fifty.afterStop) / 50],
              [200, (1000 * middle.afterStop) / 200],
              [1000, thousand.afterStop],
            ],
          },
        ],
      },
    },
  };
};
