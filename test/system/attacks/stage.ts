/**
 * The service with the sandbox, at default settings, for one attack: an attacker with a device, other tenants, and somebody who watches. Each is a process of
 * its own. Attacker and network are other machines in a deployment; here they share its processors, so they run at a lower priority than the service.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLog } from '../../../src/log.ts';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { ask, type Reply } from '../load/ask.ts';
import { type Child, type LoggedError, startChild } from '../support/child.ts';
import type { Attack, Target } from './attack.ts';
import type { Seen, Tenant, Watch } from './witness.ts';

/** Tenants beside the attacker: with a request every 700 ms they get 1,000 answers in 15 s. */
const tenantCount = 48;
/** What an attack has left running may end, ms. */
const restMs = 2_000;

export interface Pace {
  /** Seconds alone, and as long under attack; in as many rounds, by turns. */
  readonly seconds: number;
  readonly rounds: number;
}

/** Starts what is another machine in a deployment. */
const others = ['chrt', '--idle', '0'];

export interface Outcome {
  readonly name: string;
  readonly alone: Seen;
  readonly attacked: Seen;
  /** Most bytes that the service had in memory at a time. */
  readonly residentBytes: number;
  readonly errors: readonly LoggedError[];
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
    MALLOC_TRIM_THRESHOLD_: '4194304',
    MALLOC_MMAP_THRESHOLD_: '1048576',
    ...more,
  };
  const service = startChild('handset.ts', settings, ['--max-semi-space-size=8', '--heap-growing-percent=50']);
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

const joined = (seen: readonly Seen[]): Seen => {
  const failures: Record<string, number> = {};
  for (const each of seen)
    for (const [what, count] of Object.entries(each.failures)) failures[what] = (failures[what] ?? 0) + count;
  return {
    worstHealthMs: Math.max(...seen.map(({ worstHealthMs }) => worstHealthMs)),
    times: seen.flatMap(({ times }) => times),
    failures,
  };
};

/** Alone and attacked by turns, so that what the machine does meanwhile slows both. */
const watchRounds = async (
  { seconds, rounds }: Pace,
  watchFor: (during: () => Promise<void>) => Promise<Seen>,
  attacker: Child,
): Promise<Pick<Outcome, 'alone' | 'attacked'>> => {
  const [alone, attacked]: [Seen[], Seen[]] = [[], []];
  const roundMs = (seconds * 1_000) / rounds;
  // A first pass warms code and caches.
  await watchFor(() => sleep(3_000));
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await watchFor(() => sleep(roundMs)));
    attacked.push(
      await watchFor(async () => {
        await attacker.ask('begin');
        await sleep(roundMs);
        await attacker.ask('end');
      }),
    );
    if (round + 1 < rounds) await sleep(restMs);
  }
  return { alone: joined(alone), attacked: joined(attacked) };
};

/** Links devices of all tenants, a few at a time. */
const linkTenants = async (link: (n: number) => Promise<Tenant>): Promise<readonly Tenant[]> => {
  const tenants: Tenant[] = [];
  for (let n = 0; n < tenantCount; n += 6)
    tenants.push(...(await Promise.all(Array.from({ length: 6 }, (_, index) => link(n + index)))));
  return tenants;
};

/** Measures an attack. */
export const measure = async (attack: Attack, pace: Pace): Promise<Outcome> => {
  const adminToken = randomBytes(24).toString('hex');
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-attack-'));
  const startOutside = (script: string): Child => startChild(script, {}, [], others);
  // Pictures wait for the network, which the processes of the service for media, low in priority as well, would keep from a processor.
  const sandbox = attack.tenants === 'pictures' ? startChild('sandbox.ts') : startOutside('sandbox.ts');
  const attacker = startOutside(join(import.meta.dirname, 'attacker-child.ts'));
  const witness = startChild(join(import.meta.dirname, 'witness.ts'));
  const { controlUrl } = await sandbox.ask<{ controlUrl: string }>('start');
  const [number, friend] = ['4915550000001', '4915550000003'];
  let { service, url } = await startService(dataDir, controlUrl, adminToken, attack);
  try {
    const own = await tenantWith(url, controlUrl, adminToken, 'attacker', number, 20);
    await call(controlUrl, '', 'POST', '/phones', { number: friend, name: 'friend' });
    const tenants = await linkTenants((n) =>
      tenantWith(url, controlUrl, adminToken, `tenant ${n}`, `49155500001${10 + n}`),
    );
    if (attack.seed !== undefined) {
      await service.stop();
      const stores = await openStore({ dataDir, secret: null, log: makeLog('silent') });
      await attack.seed(stores, own.device);
      await stores.close();
      ({ service, url } = await startService(dataDir, controlUrl, adminToken, attack));
    }
    const target: Target = { url, controlUrl, attacker: own, number, friend };
    await attacker.ask('prepare', { name: attack.name, target });
    const watch: Watch = { url, tenants, friend, asks: attack.tenants ?? 'reads' };
    const watchFor = async (during: () => Promise<void>): Promise<Seen> => {
      await witness.ask('start', watch);
      await during();
      return witness.ask<Seen>('end');
    };
    const seen = await watchRounds(attack.isLasting === true ? { ...pace, rounds: 1 } : pace, watchFor, attacker);
    return { name: attack.name, ...seen, residentBytes: peakOf(service), errors: service.errors };
  } finally {
    await Promise.all([attacker.stop(), witness.stop()]);
    if (service.process.signalCode === null) await service.stop();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
