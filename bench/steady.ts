/**
 * `npm run bench:steady [-- --minutes 10]`: resident memory of the service as it is installed. First with one idle device, against a process with one
 * bare Baileys socket; then with ten devices that send and receive 60 messages a second in all, webhooks included, while the network closes the
 * connection of one of them every half a minute. Prints it minute by minute, writes the figures beside those of `bench:all`, and exits with 3 above a
 * bar (`bars.ts`). `--parts` says what the memory consists of, from within the process, which takes some 10 MB more then, and writes nothing.
 * A machine that is busy enough to hold up messages for seconds shows more: they are kept in memory meanwhile.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { goals, isReached } from './bars.ts';
import { startChild } from '../test/system/support/child.ts';
import type { Heap } from '../test/system/support/probe.ts';
import { Grown } from './support/grown.ts';
import { median, rounded } from './support/measured.ts';
import { paced } from './support/paced.ts';
import { keepMore } from './support/record.ts';
import { apiKey, numbersFrom } from '../test/system/support/settings.ts';

const devices = 10;
const perSecond = 60;
const reconnectEveryMs = 30_000;
const writers = numbersFrom(4_915_582_000_000, 8);

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    dry: { type: 'boolean', default: false },
    parts: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);

/** After some idle seconds, without forced garbage collection. */
const idle = async (megabytes: () => number): Promise<number> => {
  await sleep(15_000);
  return megabytes();
};

const oneDevice = async (grown: Grown): Promise<Record<string, number>> => {
  await grown.grow(1);
  await grown.growBare(1);
  // The first connection loads what later ones reuse.
  await grown.connect();
  await grown.service.end('SIGTERM');
  await grown.connect();
  const ours = await idle(() => grown.service.megabytes);
  await grown.service.end('SIGTERM');
  await grown.connectBare();
  const bare = await idle(() => grown.bareMegabytes);
  await grown.endBare();
  return { oneDeviceMb: rounded(ours), bareOneDeviceMb: rounded(bare), oneDeviceRatio: rounded(ours / bare) };
};

const textTo = ({ requests, service }: Grown, id: number, toNumber: string, message: string): Promise<unknown> =>
  requests.post(`${service.url}/v1/devices/${id}/messages/text`, { toNumber, message }, apiKey);

/** Half of the messages are sent and half received; devices and writers take turns. */
const messages = (grown: Grown, ids: readonly number[]): (() => Promise<unknown>) => {
  const { requests, place, numbers } = grown;
  let turn = 0;
  return () => {
    const pair = Math.floor(turn / 2);
    const writer = writers[Math.floor(pair / devices) % writers.length]!;
    const text = `steady ${turn}`;
    turn += 1;
    return turn % 2 === 0
      ? requests.post(`${place.controlUrl}/phones/${writer}/messages`, { to: numbers[pair % devices]!, text })
      : textTo(grown, ids[pair % devices]!, writer, text);
  };
};

/** The network closes the connection of one device after another, which connect again. */
const dropInTurn = ({ requests, place, numbers }: Grown): (() => void) => {
  let turn = 0;
  const timer = setInterval(() => {
    const number = numbers[turn % devices]!;
    turn += 1;
    void requests.post(`${place.controlUrl}/drop`, { number });
  }, reconnectEveryMs);
  return () => clearInterval(timer);
};

/** MB of resident memory by what it belongs to, as Linux tells of each mapping. */
const mappingsOf = (pid: number): { files: number; total: number } => {
  let [files, total, isFile] = [0, 0, false];
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line);
    if (head !== null) isFile = head[1]!.startsWith('/');
    const kilobytes = Number(/^Rss: +(\d+)/.exec(line)?.[1] ?? 0);
    total += kilobytes;
    if (isFile) files += kilobytes;
  }
  return { files: files / 1024, total: total / 1024 };
};

/** What the memory consists of, MB. */
const printParts = async ({ service }: Grown): Promise<void> => {
  const { pid, heapUsed, heapResident, buffers, young } = await service.probe<Heap>('usage');
  const { files, total } = mappingsOf(pid);
  const parts = {
    'code of Node and libraries': files,
    "JavaScript's heap": heapResident,
    '  of it in use': heapUsed,
    '  of it the young generation': young,
    buffers,
    'native: SQLite, TLS, compiled code, threads, what malloc keeps': total - files - heapResident - buffers,
  };
  for (const [name, megabytes] of Object.entries(parts)) console.log(`  ${name}: ${megabytes.toFixed(0)} MB`);
};

/** Resident memory in the last minute, MB. */
const load = async (grown: Grown): Promise<Record<string, number>> => {
  const { requests, place, service } = grown;
  await grown.grow(devices);
  await requests.addPhones(place.controlUrl, writers);
  await grown.connect(values.parts);
  const ids = await grown.ids();
  // All contacts are established before the load.
  for (const id of ids) for (const writer of writers) await textTo(grown, id, writer, 'hello');
  const message = messages(grown, ids);
  let refused = 0;
  const tried = (): Promise<unknown> => message().catch(() => (refused += 1));
  const stopDropping = dropInTurn(grown);
  let last = 0;
  for (let minute = 1; minute <= minutes; minute += 1) {
    const samples: number[] = [];
    const sampler = setInterval(() => samples.push(service.megabytes), 500);
    const took = await paced(tried, perSecond, perSecond * 60);
    clearInterval(sampler);
    last = median(samples);
    const slow = Math.max(...took);
    console.log(
      `  minute ${minute}: ${last.toFixed(0)} MB, at most ${Math.max(...samples).toFixed(0)} MB; the slowest message took ${slow.toFixed(0)} ms`,
    );
  }
  stopDropping();
  // A device that is away for more than 10 s refuses what it is to send.
  if (refused > 0) console.log(`  ${refused} messages were refused`);
  if (values.parts) await printParts(grown);
  return { steadyMb: rounded(last) };
};

const receiver = startChild('receiver.ts');
await using grown = await Grown.open(await receiver.ask<string>('start'));
const figures = { ...(await oneDevice(grown)), ...(await load(grown)) };
await receiver.stop();
for (const [name, value] of Object.entries(figures)) {
  const bar = goals[name];
  const missed = bar !== undefined && !isReached(bar, value);
  if (missed) process.exitCode = 3;
  console.log(`  ${name.padEnd(20)} ${value}${bar === undefined ? '' : `   (at most ${bar.bar})`}`);
}
if (!values.dry && !values.parts) await keepMore(figures);
