/** An installation whose service runs in its own process, to be killed and restarted on the same data. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../system/support/child.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { type Api, api } from './api.ts';
import { ownerKey } from './installation.ts';
import { assertNoReusedKeys, type Phones, phonesOf } from './phones.ts';
import type { Trap } from './traps/traps.ts';
import { eventually } from './wait.ts';

export interface Mortal extends AsyncDisposable {
  readonly phones: Phones;
  readonly api: Api;
  /** Address of the service. */
  readonly url: string;
  readonly dataDir: string;
  /** Stops the service at this step. Forgotten when it dies. */
  trap(trap: Trap): Promise<void>;
  isHolding(): Promise<boolean>;
  /** Waits until this many steps are held. */
  held(count: number): Promise<void>;
  /** Longest turn of the service's event loop since the last call, in ms of CPU time; 0 at first. */
  longestTurnMs(): Promise<number>;
  kill(): Promise<void>;
  /** Waits until it has exited by itself. */
  ended(): Promise<void>;
  /** Restarts it after its death on the same data. `more`: further settings. */
  restart(more?: Readonly<Record<string, string>>): Promise<void>;
}

export const startMortal = async (settings: Readonly<Record<string, string>> = {}): Promise<Mortal> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-mortal-'));
  const sandbox = await startSandbox({ port: 0 });
  let child: Child;
  let url: string;
  let gone: Promise<unknown>;
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    child = startChild(join(import.meta.dirname, 'traps/service.ts'), {
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: dataDir,
      HANDSET_BOOTSTRAP_KEY: ownerKey,
      HANDSET_BOOTSTRAP_DEVICE_LIMIT: '1000',
      HANDSET_NETWORK: sandbox.controlUrl,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
      HANDSET_RATE_LIMIT: '100000',
      ...settings,
      ...more,
    });
    gone = once(child.process, 'exit');
    url = await child.ask<string>('start');
  };
  await start();
  const kill = async (): Promise<void> => {
    child.process.kill('SIGKILL');
    await gone;
  };
  const phones = phonesOf(sandbox.controlUrl);
  return {
    phones,
    dataDir,
    get api() {
      return api(`${url}/v1`, ownerKey);
    },
    get url() {
      return url;
    },
    trap: (trap) => child.ask('trap', trap),
    isHolding: async () => (await child.ask<number>('held')) > 0,
    held: async (count) => {
      await eventually(`${count} held steps`, async () => (await child.ask<number>('held')) >= count);
    },
    longestTurnMs: () => child.ask('longestTurnMs'),
    kill,
    ended: async () => void (await gone),
    restart: start,
    async [Symbol.asyncDispose]() {
      await kill();
      try {
        await assertNoReusedKeys(phones);
      } finally {
        await sandbox.close();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
};
