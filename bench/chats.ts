/**
 * `node bench/chats.ts [--short] [--database sqlite|postgres]`: `GET /chats` of a device with 20,000 chats and a million messages (short: a tenth of
 * both), asked of the service as it is installed, one request at a time: p50 and p99 of the whole answer. Rows are made by
 * the store alone. Exits with 3 above the goal.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SessionChanges } from '../src/domain/changes.ts';
import type { MessageRecord } from '../src/domain/message.ts';
import type { Stores } from '../src/domain/stores.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import { openStore } from '../src/store/sqlite/open.ts';
import { makeLog } from '../src/log.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startChild } from '../test/system/support/child.ts';
import { Installation, bundle, freePort } from '../test/system/support/installation.ts';
import { type Place, apiKey, settingsFor } from '../test/system/support/settings.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    database: { type: 'string', default: 'sqlite' },
  },
});
const size = values.short ? { chats: 2_000, messages: 100_000 } : { chats: 20_000, messages: 1_000_000 };
const requests = values.short ? 300 : 2_000;
const goalMs = 20;
const secret = 'a secret of the benchmark, long enough';
const batch = 500;
const began = Date.UTC(2026, 0, 1);

const jidOf = (chat: number): string => `${4_915_700_000_000 + chat}@s.whatsapp.net`;
const lidOf = (chat: number): string => `${900_000_000_000 + chat}@lid`;

/** Written to chats in turn, so that each page has chats whose messages lie far apart. */
const messageOf = (n: number): MessageRecord => {
  const chat = (n * 7_919) % size.chats;
  const from = { chat: jidOf(chat), chatNumber: jidOf(chat).split('@')[0]!, chatLid: lidOf(chat) };
  const at = began + n * 1_000;
  return {
    id: `3A${String(n).padStart(18, '0')}`,
    ...from,
    direction: 'in',
    from: from.chat,
    fromNumber: from.chatNumber,
    fromLid: from.chatLid,
    pushName: `Person ${chat}`,
    isGroup: false,
    type: 'text',
    text: `Message ${n}, as long as a message mostly is, about lunch or the invoice`,
    quotedMessageId: null,
    media: null,
    content: null,
    state: 'delivered',
    timestamp: at,
    acceptedAt: null,
    deliveredAt: at,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
};

/** Application state is written under a lease where nodes share the database. */
const epochOf = async ({ cluster }: Stores, deviceId: number): Promise<number | null> => {
  if (cluster === null) return null;
  await cluster.leases.renew({ id: 'bench', url: 'http://127.0.0.1:1', draining: false });
  const given = await cluster.leases.acquire('bench', deviceId);
  return given.kind === 'held' ? given.lease.epoch : null;
};

const fill = async (stores: Stores): Promise<number> => {
  const [user] = await stores.users.list();
  const device = { userId: user!.id, name: 'Phone', webhookUrl: null, webhookEvents: [] };
  const { id } = await stores.devices.create(device, Date.now());
  for (let n = 0; n < size.messages; n += batch)
    await stores.credentials.commit(id, {
      messages: Array.from({ length: batch }, (_, index) => messageOf(n + index)),
    });
  for (let chat = 0; chat < size.chats; chat += batch) {
    const numbers = Array.from({ length: batch }, (_, index) => chat + index);
    const changes = {
      contacts: numbers.map((n) => ({ jid: jidOf(n), lid: lidOf(n), pushName: `Person ${n}` })),
      appState: numbers
        .filter((n) => n % 20 === 0)
        .map((n) => ({ kind: 'archive' as const, jid: jidOf(n), value: { archived: true as const } })),
    } satisfies SessionChanges;
    await stores.credentials.commit(id, changes, await epochOf(stores, id));
    // Nine of ten are read.
    await stores.credentials.commit(id, {
      chats: numbers.filter((n) => n % 10 !== 0).map((n) => ({ chat: jidOf(n), chatLid: lidOf(n), unread: 0 })),
    });
  }
  return id;
};

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const timesOf = (all: readonly number[]): Times => {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { p50: at(0.5), p99: at(0.99), most: sorted.at(-1)! };
};

/** Each request's path may depend on the answer before it. */
const measure = async (
  service: Installation,
  count: number,
  next: (before: { readonly nextCursor: string | null } | null) => string,
): Promise<Times> => {
  const times: number[] = [];
  let before: { readonly nextCursor: string | null } | null = null;
  for (let n = 0; n < count; n += 1) {
    const path = next(before);
    const start = performance.now();
    const answer = await fetch(`${service.url}/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const body = (await answer.json()) as { readonly nextCursor: string | null };
    times.push(performance.now() - start);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
    before = body;
  }
  return timesOf(times);
};

const shown = ({ p50, p99, most }: Times): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(1)} ms`;

await using ended = new AsyncDisposableStack();
bundle();
const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
ended.defer(() => rm(dataDir, { recursive: true, force: true }));
const sandbox = startChild('sandbox.ts');
ended.defer(async () => void sandbox.process.kill());
const place = await sandbox.ask<Place>('start', 'lenient');
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
// The first start makes the user.
service.start();
await service.ready();
await service.end('SIGTERM');

const log = makeLog('silent');
const stores =
  databaseUrl === null
    ? await openStore({ dataDir, secret, durability: 'process', log })
    : await openPostgresStore({ databaseUrl, dataDir, secret, durability: 'process', connections: 8, log });
const filling = performance.now();
const id = await fill(stores);
await stores.close();
const seconds = (performance.now() - filling) / 1_000;
console.log(
  `${size.messages} messages in ${size.chats} chats, written in ${seconds.toFixed(0)} s on ${values.database}`,
);

service.start();
await service.ready();
const path = `/devices/${id}/chats`;
await measure(service, 50, () => path);
const first = await measure(service, requests, () => path);
const later = await measure(service, requests, (before) =>
  before?.nextCursor ? `${path}?cursor=${before.nextCursor}` : path,
);
const unread = await measure(service, requests, () => `${path}?unread=true&archived=true`);
const one = await measure(
  service,
  requests,
  () => `${path}/${jidOf(Math.floor(Math.random() * size.chats)).split('@')[0]}`,
);
const search = await measure(service, 20, () => `/devices/${id}/messages?q=nowhere`);
const figures = { 'the newest 100 chats': first, 'later pages': later, 'unread and archived': unread, 'one chat': one };
for (const [what, times] of Object.entries(figures)) console.log(`${what}: ${shown(times)}`);
console.log(`a search that opens 10,000 messages: ${shown(search)}`);
// The embedded PostgreSQL ends the process by itself, with 0.
if (Object.values(figures).some(({ p99 }) => p99 > goalMs)) process.once('exit', () => (process.exitCode = 3));
