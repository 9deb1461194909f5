/** The service with the sandbox, at default settings, for one attack: an attacker with a device, other tenants, and somebody who watches. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from '../../../src/domain/stores.ts';
import { makeLog } from '../../../src/log.ts';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { ask, type Reply } from '../load/ask.ts';
import { type Child, startChild } from '../support/child.ts';
import type { Seen, Tenant, Watch } from './witness.ts';

/** Tenants beside the attacker: enough for a few hundred answers in half a minute. */
const tenantCount = 12;

export interface Stage {
  readonly url: string;
  /** The control interface of the sandbox. */
  readonly controlUrl: string;
  readonly attacker: Tenant;
  /** The number of the attacker's phone, which has linked the device. */
  readonly number: string;
  /** The number of a phone to which anybody may write. */
  readonly friend: string;
  ask(key: string, method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Reply>;
}

/** One attack, as somebody outside makes it. */
export interface Attack {
  readonly name: string;
  /** Settings without which it would take longer to begin. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Requests of the other tenants; reads if omitted. */
  readonly tenants?: Watch['asks'];
  /** Writes what the attacker has caused to be stored before, while the service is stopped. */
  seed?(stores: Stores, deviceId: number): Promise<void>;
  /** Attacks until it is told to end; then waits for nothing. */
  run(stage: Stage, ended: AbortSignal): Promise<void>;
}

export interface Outcome {
  readonly name: string;
  readonly alone: Seen;
  readonly attacked: Seen;
  /** Most bytes that the service had in memory at a time. */
  readonly residentBytes: number;
}

const agent = new Agent({ keepAlive: false });

/** Bytes that a process has had in memory at most. */
const peakOf = (child: Child): number => {
  if (child.process.exitCode !== null || child.process.signalCode !== null) throw new Error('the service has died');
  const status = readFileSync(`/proc/${child.process.pid!}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
};

const call = async (
  base: string,
  key: string,
  method: string,
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<Reply> => ask(agent, base, key, method, path, body);

/** Starts the service as the image does. */
const startService = async (
  dataDir: string,
  controlUrl: string,
  adminToken: string,
  { settings: more = {} }: Pick<Attack, 'settings'>,
) => {
  const settings = {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_NETWORK: controlUrl,
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_LOG_LEVEL: 'warn',
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    ...more,
  };
  const service = startChild('handset.ts', settings, ['--max-semi-space-size=8']);
  return { service, url: await service.ask<string>('start') };
};

/** A user with a device; with a number, one that the phone of this number has linked. */
const tenantWith = async (
  url: string,
  controlUrl: string,
  adminToken: string,
  name: string,
  number: string,
  deviceLimit = 2,
): Promise<Tenant> => {
  const { user } = (await call(url, adminToken, 'POST', '/admin/v1/users', { name, deviceLimit })).body;
  const key: string = (await call(url, adminToken, 'POST', `/admin/v1/users/${user.id}/keys`, { name: 'x' })).body.key
    .secret;
  await call(controlUrl, '', 'POST', '/phones', { number, name });
  const { device } = (await call(url, key, 'POST', '/v1/devices')).body;
  await call(controlUrl, '', 'POST', `/phones/${number}/scan`, { qr: device.qr });
  for (;;) {
    const { body } = await call(url, adminToken, 'GET', `/admin/v1/users/${user.id}/devices`);
    if (body.devices[0].status === 'connected') return { key, device: device.id };
    await sleep(100);
  }
};

const watchFor = async (watch: Watch, during: (ended: AbortSignal) => Promise<void>): Promise<Seen> => {
  const witness = startChild(join(import.meta.dirname, 'witness.ts'));
  const end = new AbortController();
  try {
    await witness.ask('start', watch);
    await during(end.signal);
    return await witness.ask<Seen>('end');
  } finally {
    end.abort();
    await witness.stop();
  }
};

/** Measures an attack of so many seconds, and as long without it. */
export const measure = async (attack: Attack, seconds: number): Promise<Outcome> => {
  const adminToken = randomBytes(24).toString('hex');
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-attack-'));
  const sandbox = startChild('sandbox.ts');
  const { controlUrl } = await sandbox.ask<{ controlUrl: string }>('start');
  const [number, friend] = ['4915550000001', '4915550000003'];
  let { service, url } = await startService(dataDir, controlUrl, adminToken, attack);
  try {
    const attacker = await tenantWith(url, controlUrl, adminToken, 'attacker', number, 20);
    await call(controlUrl, '', 'POST', '/phones', { number: friend, name: 'friend' });
    const tenants: Tenant[] = [];
    for (let n = 0; n < tenantCount; n += 1)
      tenants.push(await tenantWith(url, controlUrl, adminToken, `tenant ${n}`, `49155500001${10 + n}`));
    if (attack.seed !== undefined) {
      await service.stop();
      const stores = await openStore({ dataDir, secret: null, log: makeLog('silent') });
      await attack.seed(stores, attacker.device);
      await stores.close();
      ({ service, url } = await startService(dataDir, controlUrl, adminToken, attack));
    }
    const stage: Stage = {
      url,
      controlUrl,
      attacker,
      number,
      friend,
      ask: (key, method, path, body) => call(url, key, method, path, body),
    };
    const watch: Watch = { url, tenants, friend, asks: attack.tenants ?? 'reads' };
    // A first pass warms code and caches.
    await watchFor(watch, () => sleep(3_000));
    const alone = await watchFor(watch, () => sleep(seconds * 1_000));
    const attacked = await watchFor(watch, async (ended) => {
      const attacking = attack.run(stage, ended);
      await Promise.all([sleep(seconds * 1_000), Promise.race([attacking, sleep(seconds * 1_000)])]);
    });
    return { name: attack.name, alone, attacked, residentBytes: peakOf(service) };
  } finally {
    if (service.process.signalCode === null) await service.stop();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
