/**
 * `npm run bench:sandbox -- [--short] [--connections N] [--messages N] [--rounds N] [--dry]`: the sandbox must never be what a benchmark
 * measures. It carries at least 1.5 times as many messages a second of CPU as the driver can send, and 2,000 idle
 * connections in less than 1 GB. Exit code 1 where it does not. `--short` takes half a minute: 200 connections, two rounds. Writes the
 * figures beside those of `bench:all`, unless it is `--short` or `--dry`.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { phonesOf } from '../test/support/phones.ts';
import { type Child, startChild } from './support/child.ts';
import { median, rounded } from './support/measured.ts';
import { keepMore } from './support/record.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    connections: { type: 'string' },
    messages: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const usual = values.short
  ? { connections: 200, messages: 1_500, rounds: 2 }
  : { connections: 2_000, messages: 2_500, rounds: 2 };
const connections = Number(values.connections ?? usual.connections);
const messages = Number(values.messages ?? usual.messages);
const rounds = Number(values.rounds ?? usual.rounds);
const wantedRatio = 1.5;
const allowedBytes = 1_000_000_000;
const senders = 20;
/** Longest wait for what the messages have brought about. */
const patienceMs = 60_000;

/** By their names in `bench/results.json`. */
const figures: Record<string, number> = { sandboxLoad: rounded(loadavg()[0]!), sandboxConnections: connections };

interface Place {
  readonly controlUrl: string;
}

const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

/** Makes phones; their LIDs. */
const addPhones = async ({ controlUrl }: Place, numbers: readonly string[]): Promise<string[]> => {
  const phones = phonesOf(controlUrl);
  const lids: string[] = [];
  for (const number of numbers) lids.push((await phones.add(number, `Phone ${number}`)).lid);
  return lids;
};

const cpuSeconds = async (child: Child): Promise<number> => {
  const { user, system } = await child.ask<NodeJS.CpuUsage>('cpu');
  return (user + system) / 1e6;
};

/** Waits until what the messages have brought about (receipts, acks) is done. */
const untilQuiet = async ({ controlUrl }: Place): Promise<void> => {
  const phones = phonesOf(controlUrl);
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(50)) {
    const { pending } = (await phones.stats()) as { pending: object };
    if (Object.keys(pending).length === 0) return;
  }
  throw new Error('the network does not come to rest');
};

/** Texts a second of CPU, of the sandbox with its phones and of who sends them, over the same texts. */
interface Rates {
  readonly sandbox: number;
  readonly sender: number;
  readonly ratio: number;
}

const ratesOf = async (place: Place, sandbox: Child, sender: Child, to: readonly string[]): Promise<Rates> => {
  const measured: { sandbox: number; sender: number }[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const before = { sandbox: await cpuSeconds(sandbox), sender: await cpuSeconds(sender) };
    await sender.ask('send', { count: messages, to });
    await untilQuiet(place);
    const figure = {
      sandbox: messages / ((await cpuSeconds(sandbox)) - before.sandbox),
      sender: messages / ((await cpuSeconds(sender)) - before.sender),
    };
    if (round > 0) measured.push(figure);
  }
  return {
    sandbox: median(measured.map((figure) => figure.sandbox)),
    sender: median(measured.map((figure) => figure.sender)),
    ratio: median(measured.map((figure) => figure.sandbox / figure.sender)),
  };
};

/** The driver with its store sends, from as many devices to as many phones. */
const compare = async (place: Place, sandbox: Child): Promise<number> => {
  const driver = startChild('driver.ts');
  try {
    await driver.ask('start', place);
    const from = numbersFrom(4_916_000_000_000, senders);
    const to = numbersFrom(4_917_000_000_000, senders);
    await addPhones(place, [...from, ...to]);
    await driver.ask('connect', from);
    const rates = await ratesOf(place, sandbox, driver, to);
    await driver.ask('stop');
    console.log(`texts a second of CPU, ${senders} devices, ${messages} texts, median of ${rounds} rounds`);
    console.log(`  sandbox, with its phones   ${rates.sandbox.toFixed(0)}`);
    console.log(`  driver, with its store     ${rates.sender.toFixed(0)}`);
    console.log(`  ratio                      ${rates.ratio.toFixed(2)} (wanted: ${wantedRatio})`);
    figures['sandboxRatio'] = rounded(rates.ratio);
    figures['sandboxCpuMs'] = rounded(1000 / rates.sandbox);
    figures['sandboxDriverCpuMs'] = rounded(1000 / rates.sender);
    return rates.ratio;
  } finally {
    await driver.stop();
  }
};

/** Every idle connection writes: thousands of clients at once. */
const rouse = async (place: Place, sandbox: Child, clients: Child): Promise<void> => {
  const to = await addPhones(place, numbersFrom(4_919_000_000_000, senders));
  await clients.ask('open', to);
  const { sandbox: rate } = await ratesOf(place, sandbox, clients, to);
  console.log(`texts a second of CPU from ${connections} light clients, all of them at once`);
  console.log(`  sandbox, with its phones   ${rate.toFixed(0)}`);
  figures['sandboxLightCpuMs'] = rounded(1000 / rate);
};

const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** Links so many light clients, and measures the sandbox when all of them are idle. */
const hold = async (place: Place, sandbox: Child, clients: Child): Promise<number> => {
  const empty = await sandbox.ask<number>('memory');
  await clients.ask('start', place);
  const numbers = numbersFrom(4_918_000_000_000, connections);
  const began = performance.now();
  await addPhones(place, numbers);
  const connected = await clients.ask<number>('connect', numbers);
  const seconds = (performance.now() - began) / 1000;
  if (connected !== connections) throw new Error(`only ${connected} of ${connections} are connected`);
  await untilQuiet(place);
  const bytes = await sandbox.ask<number>('memory');
  console.log(`${connections} idle connections, each of a phone's own companion with 812 prekeys`);
  console.log(
    `  resident memory            ${mega(bytes)} (allowed: ${mega(allowedBytes)}), ${mega(empty)} without any`,
  );
  console.log(`  one phone and companion    ${((bytes - empty) / connections / 1e3).toFixed(0)} kB`);
  console.log(`  linked in                  ${seconds.toFixed(0)} s, clients included`);
  figures['sandboxMb'] = rounded(bytes / 1e6);
  figures['sandboxEmptyMb'] = rounded(empty / 1e6);
  figures['sandboxKbPerConnection'] = rounded((bytes - empty) / connections / 1e3);
  return bytes;
};

const run = async (): Promise<number> => {
  const sandbox = startChild('sandbox.ts');
  const clients = startChild('light/process.ts');
  try {
    const place = await sandbox.ask<Place>('start');
    const bytes = await hold(place, sandbox, clients);
    await rouse(place, sandbox, clients);
    const ratio = await compare(place, sandbox);
    const left = await clients.ask<number>('connected');
    if (!values.short && !values.dry) await keepMore(figures);
    if (left !== connections) console.log(`${connections - left} connections were lost`);
    return ratio >= wantedRatio && bytes < allowedBytes && left === connections ? 0 : 1;
  } finally {
    await clients.stop();
    await sandbox.stop();
  }
};

process.exitCode = await run();
