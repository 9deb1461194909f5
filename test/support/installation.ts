/** A whole installation as one disposable object: the real service on a real SQLite file, and the real sandbox. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Stores } from '../../src/domain/stores.ts';
import type { Logger } from '../../src/log.ts';
import { type Handset, startHandset } from '../../src/main.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/src/sandbox.ts';
import type { ProbePace } from '../../src/whatsapp/connection/probe.ts';
import { type Api, api } from './api.ts';
import { assertNoReusedKeys, firstPreKeys, type Phones, phonesOf } from './phones.ts';
import { makeDataFolder } from './store.ts';

/** Key of the user `owner`: `hs_` and 43 characters. */
export const ownerKey = `hs_${'A'.repeat(43)}`;

export interface Installation extends AsyncDisposable {
  readonly phones: Phones;
  /** The sandbox's server, for what its control interface cannot do. */
  readonly hub: Sandbox['hub'];
  /** Data folder of the service. */
  readonly dataDir: string;
  readonly handset: Handset;
  readonly api: Api;
  /** Restarts the service on the same data, also after `moveTo`. `more`: settings from now on. */
  restart(more?: Partial<Config>): Promise<void>;
  /** Starts the service on a PostgreSQL with the secret of the data folder; `folder`: as a node with another one. */
  moveTo(databaseUrl: string, folder?: string, more?: Partial<Config>): Promise<void>;
  /** Stops the service only. */
  stop(): Promise<void>;
}

interface Given {
  readonly watchStores?: (stores: Stores) => Stores;
  /** `lenient` for clients of stock Baileys, which use phone JIDs. */
  readonly addressing?: SandboxOptions['addressing'];
  readonly record?: SandboxOptions['record'];
  readonly rootKey?: SandboxOptions['rootKey'];
  /** Default: few. */
  readonly firstPreKeys?: number;
  /** Log of the service; standard error by default. */
  readonly log?: Logger;
}

/** Starts both. `settings` are `HANDSET_…` variables; `clock` is the service's. */
export const startInstallation = async (
  settings: Readonly<Record<string, string>> = {},
  probePace?: ProbePace,
  clock?: Clock,
  { addressing, record, rootKey, ...given }: Given = {},
): Promise<Installation> => {
  const isOwn = settings['HANDSET_SECRET'] === undefined && settings['HANDSET_DATABASE_URL'] === undefined;
  const dataDir = await (isOwn ? makeDataFolder('handset-') : mkdtemp(join(tmpdir(), 'handset-')));
  const sandbox = await startSandbox({
    port: 0,
    ...(addressing !== undefined && { addressing }),
    ...(record !== undefined && { record }),
    ...(rootKey !== undefined && { rootKey }),
  });
  let config: Config = readConfig({
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: ownerKey,
    HANDSET_NETWORK: sandbox.controlUrl,
    HANDSET_ALLOW_PRIVATE_URLS: 'true',
    HANDSET_RATE_LIMIT: '100000',
    ...settings,
  });
  const log = pino({ level: settings.HANDSET_LOG_LEVEL ?? 'silent' }, pino.destination(2));
  const start = (): Promise<Handset> =>
    startHandset(config, { log, probePace, firstPreKeys, ...given, ...(clock === undefined ? {} : { clock }) });
  let handset: Handset | null = await start();
  const running = (): Handset => {
    if (handset === null) throw new Error('the service is stopped');
    return handset;
  };
  const stop = async (): Promise<void> => {
    const old = handset;
    handset = null;
    await old?.close();
  };
  const phones = phonesOf(sandbox.controlUrl);
  return {
    phones,
    hub: sandbox.hub,
    dataDir,
    get handset() {
      return running();
    },
    get api() {
      return api(`${running().url}/v1`, ownerKey);
    },
    stop,
    async restart(more = {}) {
      await stop();
      config = { ...config, ...more };
      handset = await start();
    },
    async moveTo(databaseUrl, folder = dataDir, more = {}) {
      await stop();
      const secret = (await readFile(join(dataDir, 'secret'), 'utf8')).trim();
      config = { ...config, dataDir: folder, databaseUrl, secret, durability: 'process', ...more };
      handset = await start();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      try {
        await assertNoReusedKeys(phones);
      } finally {
        await sandbox.close();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
};
