/**
 * `node bench/chats.ts [--short] [--database sqlite|postgres]`: `GET /chats` of a device with 20,000 chats and a million messages (short:
 * a tenth of both) from the installed service, one request at a time: p50 and p99 of the whole response, idle and with a message arriving
 * every 100 ms. The store writes the rows directly. Exits with 3 above the goal.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Stores } from '../src/domain/stores.ts';
import { openPostgresStore } from '../src/store/open-postgres.ts';
import { openStore } from '../src/store/open-sqlite.ts';
import { makeLog } from '../src/log.ts';
import { api } from '../test/support/api.ts';
import { phonesOf } from '../test/support/phones.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { eventually } from '../test/support/wait.ts';
import { startChild } from '../test/system/support/child.ts';
import { freePort } from '../test/support/port.ts';
import { Installation, bundle } from '../test/system/support/installation.ts';
import { linkDevice } from '../test/system/support/people.ts';
import { type Place, apiKey, settingsFor } from '../test/system/support/settings.ts';
import { fillDevice, jidOf } from './support/chat-rows.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    database: { type: 'string', default: 'sqlite' },
  },
});
const size = values.short ? { chats: 2_000, messages: 100_000 } : { chats: 20_000, messages: 1_000_000 };
const requests = values.short ? 200 : 500;
const goalMs = 20;
const arrivalMs = 100;
const secret = 'a secret of the benchmark, long enough';
const [owner, friend] = ['491510000001', '491510000002'];

interface Times {
  /** CPU milliseconds of the service per request. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const timesOf = (all: readonly number[], cpuMs: number): Times => {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { cpu: cpuMs / all.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1)! };
};

/** The path of a request may depend on the previous response. */
const measure = async (
  service: Installation,
  count: number,
  next: (before: { readonly nextCursor: string | null } | null) => string,
): Promise<Times> => {
  const times: number[] = [];
  const cpuBefore = service.cpuMs;
  let before: { readonly nextCursor: string | null } | null = null;
  for (let n = 0; n < count; n += 1) {
    const path = next(before);
    const start = performance.now();
    const answer = await fetch(`${service.url}/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const text = await answer.text();
    times.push(performance.now() - start);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    before = JSON.parse(text) as { readonly nextCursor: string | null };
  }
  return timesOf(times, service.cpuMs - cpuBefore);
};

const shown = ({ cpu, p50, p99, most }: Times): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(1)} ms, processor ${cpu.toFixed(1)} ms`;

await using ended = new AsyncDisposableStack();
bundle();
const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
ended.defer(() => rm(dataDir, { recursive: true, force: true }));
const sandbox = startChild('sandbox.ts');
ended.defer(async () => void sandbox.process.kill());
const place = await sandbox.ask<Place>('start', 'lenient');
const phones = phonesOf(place.controlUrl);
const postgres = values.database === 'postgres' ? await startPostgres() : null;
if (postgres !== null) ended.defer(() => postgres.close());
const databaseUrl = postgres === null ? null : await postgres.database();
const env = {
  ...settingsFor(dataDir, place.controlUrl),
  HANDSET_SECRET: secret,
  // The PostgreSQL of the tests does not flush.
  ...(databaseUrl === null ? {} : { HANDSET_DATABASE_URL: databaseUrl, HANDSET_DURABILITY: 'process' }),
};
const service = new Installation(await freePort(), env);
ended.defer(() => service.end('SIGTERM'));

/** Rows are dated an hour ago, so that background work considers them settled. */
let agoMs = 3_600_000;
const clock = { now: () => Date.now() - agoMs };
const openStores = (): Promise<Stores> => {
  const options = { dataDir, secret, durability: 'process', log: makeLog('silent') } as const;
  return databaseUrl === null
    ? openStore({ ...options, clock })
    : openPostgresStore({ ...options, clock, databaseUrl, connections: 8 });
};

/** As the server does by itself a minute later. */
const vacuum = async (url: string): Promise<void> => {
  const client = new Client(url);
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
};

/** Links a device that has the chats; returns its id. */
const prepare = async (): Promise<number> => {
  service.start();
  await service.ready();
  const { jid, lid } = await phones.add(owner, 'Owner');
  await phones.add(friend, 'Friend');
  const person = { number: owner, jid, lid, device: null, silent: false };
  const client = api(`${service.url}/v1`, apiKey);
  const id = await linkDevice(client, phones, person);
  // The application state that arrives after linking would overwrite earlier changes.
  await phones.request('PATCH', `/phones/${owner}/chats/${friend}@s.whatsapp.net`, { archived: true });
  const archived = async () => (await client.get(`/devices/${id}/chats?archived=true`)).body.chats.length === 1;
  await eventually('the application state', archived);
  await service.end('SIGTERM');
  const stores = await openStores();
  const began = performance.now();
  await fillDevice(stores, id, size);
  agoMs = 0;
  await stores.close();
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    `${size.messages} messages in ${size.chats} chats, written in ${seconds.toFixed(0)} s on ${values.database}`,
  );
  if (databaseUrl !== null) await vacuum(databaseUrl);
  service.start();
  await service.ready();
  return id;
};

const id = await prepare();
const path = `/devices/${id}/chats`;
const pages = (query: string) => (before: { readonly nextCursor: string | null } | null) =>
  before?.nextCursor ? `${path}?${query}&cursor=${before.nextCursor}` : `${path}?${query}`;
const anyChat = (): string => `${path}/${jidOf(Math.floor(Math.random() * size.chats)).split('@')[0]}`;
const kinds = {
  'the newest 100 chats': () => path,
  'later pages': pages('limit=100'),
  'unread=true': pages('unread=true'),
  'archived=true': pages('archived=true'),
  'archived=false': pages('archived=false'),
  'unread and archived': pages('unread=true&archived=true'),
  'one chat': anyChat,
  /** Shows the share of the machine and the connection. */
  'for comparison, the device': () => `/devices/${id}`,
};

const figures: Times[] = [];
const measureAll = async (when: string): Promise<void> => {
  for (const [what, next] of Object.entries(kinds)) {
    const times = await measure(service, requests, next);
    figures.push(times);
    console.log(`${what}, ${when}: ${shown(times)}`);
  }
};

for (const next of Object.values(kinds)) await measure(service, 50, next);
await measureAll('at rest');
let arrived = 0;
const arrivals = setInterval(() => {
  void phones.write(friend, { to: owner, text: 'on the way {n}' }).then(() => (arrived += 1));
}, arrivalMs);
await measureAll('with arrivals');
clearInterval(arrivals);
const search = await measure(service, 20, () => `/devices/${id}/messages?q=nowhere`);
console.log(`a search that opens 10,000 messages: ${shown(search)}`);
console.log(`${arrived} messages arrived`);
// The embedded PostgreSQL ends the process with 0.
if (figures.some(({ p99 }) => p99 > goalMs)) process.once('exit', () => (process.exitCode = 3));
