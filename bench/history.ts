/**
 * `node bench/history.ts [--short]`: links a device with `history: full` to a phone with 100,000 messages (short: a tenth), while somebody
 * writes to it five times a second. Reports the number of messages, the duration, the memory growth of the service, and the latency of
 * live messages before, during and after. Exits with 3 if a message is missing or duplicated, or the memory grows beyond the bar.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Api, api } from '../test/support/api.ts';
import { phonesOf } from '../test/support/phones.ts';
import { startChild } from '../test/system/support/child.ts';
import { freePort } from '../test/support/port.ts';
import { Installation, bundle } from '../test/system/support/installation.ts';
import { type Place, apiKey, numbersFrom, settingsFor } from '../test/system/support/settings.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const people = numbersFrom(4_915_700_000_000, values.short ? 100 : 1_000);
const messages = 100;
const chatsAChunk = 10;
const total = people.length * messages;
const [owner, friend] = ['491510000001', '491510000002'];
const maxGrowthMb = 64;
const writeEveryMs = 200;
const limitMs = 600_000;

await using ended = new AsyncDisposableStack();
bundle();
const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
ended.defer(() => rm(dataDir, { recursive: true, force: true }));
const sandbox = startChild('sandbox.ts');
ended.defer(async () => void sandbox.process.kill());
const place = await sandbox.ask<Place>('start', 'lenient');
const phones = phonesOf(place.controlUrl);
const service = new Installation(await freePort(), settingsFor(dataDir, place.controlUrl));
ended.defer(() => service.end('SIGTERM'));
service.start();
await service.ready();
const client: Api = api(`${service.url}/v1`, apiKey);

const linkTo = async (number: string, history: 'none' | 'full'): Promise<number> => {
  const { id } = (await client.post('/devices', {})).body.device as { id: number };
  await client.put(`/devices/${id}/settings`, { history });
  await phones.scan(number, (await client.get(`/devices/${id}`)).body.device.qr);
  while ((await client.get(`/devices/${id}/session`)).body.session.state !== 'open') await sleep(10);
  return id;
};

/** Milliseconds until a message sent by the phone can be read. */
const liveMs = async (id: number, n: number): Promise<number> => {
  const began = performance.now();
  const [messageId] = await phones.write(friend, { to: owner, text: `live ${n}` });
  while ((await client.get(`/devices/${id}/messages/${messageId}`)).status !== 200) await sleep(2);
  return performance.now() - began;
};

const loaded = async (id: number): Promise<number> => {
  const { events } = (await client.get(`/devices/${id}/events?types=history.loaded&limit=1000`)).body;
  return (events as { data: { count: number } }[]).reduce((sum, { data }) => sum + data.count, 0);
};

/** Number of historic messages in the log, and of their distinct ids. */
const counted = async (id: number): Promise<readonly [number, number]> => {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await client.get(`/devices/${id}/messages?limit=1000${page}`);
    const shown = body.messages as { id: string; historic: boolean }[];
    ids.push(...shown.filter(({ historic }) => historic).map((message) => message.id));
    cursor = body.nextCursor;
  }
  return [ids.length, new Set(ids).size];
};

const shown = (times: readonly number[]): string => {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${times.length}`;
};

const live = async (id: number, count: number): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) times.push(await liveMs(id, n));
  return times;
};

await phones.add(owner, 'Owner');
await phones.add(friend, 'Friend');
for (const number of people) await phones.add(number, `Person ${number}`);

// Warms the process up.
const other = await linkTo(friend, 'none');
await client.post(`/devices/${other}/disconnect`);
await phones.request('POST', `/phones/${owner}/old-chats`, { with: people, messages, chatsAChunk });
const before = service.megabytes;
const began = performance.now();
const id = await linkTo(owner, 'full');
const during: number[] = [];
let most = before;
while ((await loaded(id)) < total && performance.now() - began < limitMs) {
  during.push(await liveMs(id, during.length));
  most = Math.max(most, service.megabytes);
  await sleep(writeEveryMs);
}
const seconds = (performance.now() - began) / 1_000;
const [rows, ids] = await counted(id);
console.log(
  `${rows} of ${total} messages, ${ids} ids, in ${seconds.toFixed(0)} s (${(rows / seconds).toFixed(0)} a second)`,
);
console.log(
  `memory: ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most, ${service.megabytes.toFixed(0)} MB after`,
);
console.log(`live messages meanwhile: ${shown(during)}`);
console.log(`live messages afterwards: ${shown(await live(id, 50))}`);
if (rows !== total || ids !== total || most - before > maxGrowthMb) process.exitCode = 3;
