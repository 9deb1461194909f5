/** Starts: the service in an empty folder until it is ready, and a command of `handset` until it exits. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/port.ts';
import { Installation, bundle } from '../../test/system/support/installation.ts';
import { apiKey } from '../../test/system/support/settings.ts';
import { type Measured, type Scale, median, rounded } from '../support/measured.ts';

const launcher = join(import.meta.dirname, '../../src/cli/launch.js');
const starts = 9;

const commandMs = (url: string): number => {
  const began = performance.now();
  const env = { PATH: process.env['PATH'], HANDSET_URL: url, HANDSET_KEY: apiKey };
  execFileSync(process.execPath, [launcher, 'device', 'list'], { env, stdio: 'ignore' });
  return performance.now() - began;
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  // There are no ratios.
  if (short) return { figures: {} };
  bundle();
  const cold: number[] = [];
  const commands: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    // An empty folder each time, to include what the first start creates.
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
    const service = new Installation(await freePort(), { HANDSET_DATA_DIR: dataDir, HANDSET_BOOTSTRAP_KEY: apiKey });
    service.start();
    cold.push(await service.ready());
    commands.push(commandMs(service.url));
    await service.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
  return { figures: { coldStartMs: rounded(median(cold)), commandMs: rounded(median(commands)) } };
};
