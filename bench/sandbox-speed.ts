/**
 * `npm run bench:sandbox -- [--connections N] [--messages N] [--rounds N]`: the sandbox must never be what a benchmark measures.
 * It carries at least 3 times as many messages a second of CPU as the driver can send, and 2,000 idle connections in less
 * than 1 GB. Exit code 1 where it does not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { phonesOf } from '../test/support/phones.ts';
import { type Child, startChild } from './support/child.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '2000' },
    messages: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
  },
});
const connections = Number(values.connections);
const messages = Number(values.messages);
const rounds = Number(values.rounds);
const wantedRatio = 3;
const allowedBytes = 1_000_000_000;
const senders = 20;

interface Place {
  readonly controlUrl: string;
}

const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

const addPhones = async ({ controlUrl }: Place, numbers: readonly string[]): Promise<void> => {
  const phones = phonesOf(controlUrl);
  for (const number of numbers) await phones.add(number, `Phone ${number}`);
};

const cpuSeconds = async (child: Child): Promise<number> => {
  const { user, system } = await child.ask<NodeJS.CpuUsage>('cpu');
  return (user + system) / 1e6;
};

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)]!;

/** Waits until what the messages have brought about (receipts, acks) is done. */
const untilQuiet = async ({ controlUrl }: Place): Promise<void> => {
  for (;;) {
    const { pending } = (await phonesOf(controlUrl).stats()) as { pending: object };
    if (Object.keys(pending).length === 0) return;
    await sleep(50);
  }
};

/** Messages a second of CPU, of the sandbox with its phones and of the driver with its store, over the same messages. */
const compare = async (place: Place, sandbox: Child): Promise<number> => {
  const driver = startChild('driver.ts');
  await driver.ask('start', place);
  const from = numbersFrom(4_916_000_000_000, senders);
  const to = numbersFrom(4_917_000_000_000, senders);
  await addPhones(place, [...from, ...to]);
  await driver.ask('connect', from);
  await driver.ask('send', { count: messages / 4, to });
  const figures: { sandbox: number; driver: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await untilQuiet(place);
    const before = { sandbox: await cpuSeconds(sandbox), driver: await cpuSeconds(driver) };
    await driver.ask('send', { count: messages, to });
    await untilQuiet(place);
    figures.push({
      sandbox: messages / ((await cpuSeconds(sandbox)) - before.sandbox),
      driver: messages / ((await cpuSeconds(driver)) - before.driver),
    });
  }
  await driver.ask('stop');
  await driver.stop();
  const ratio = median(figures.map((figure) => figure.sandbox / figure.driver));
  console.log(`texts a second of CPU, ${senders} devices, ${messages} texts, median of ${rounds} rounds`);
  console.log(`  sandbox, with its phones   ${median(figures.map((figure) => figure.sandbox)).toFixed(0)}`);
  console.log(`  driver, with its store     ${median(figures.map((figure) => figure.driver)).toFixed(0)}`);
  console.log(`  ratio                      ${ratio.toFixed(2)} (wanted: ${wantedRatio})`);
  return ratio;
};

/** Links so many light clients, and measures the sandbox when all of them are idle. */
const hold = async (place: Place, sandbox: Child): Promise<{ bytes: number; clients: Child }> => {
  const clients = startChild('light/process.ts');
  await clients.ask('start', place);
  const numbers = numbersFrom(4_918_000_000_000, connections);
  await addPhones(place, numbers);
  const began = performance.now();
  const connected = await clients.ask<number>('connect', numbers);
  if (connected !== connections) throw new Error(`only ${connected} of ${connections} are connected`);
  await untilQuiet(place);
  const bytes = await sandbox.ask<number>('memory');
  console.log(`${connections} idle connections, each of a phone's own companion with 812 prekeys`);
  console.log(`  resident memory            ${(bytes / 1e6).toFixed(0)} MB (allowed: ${allowedBytes / 1e6} MB)`);
  console.log(`  linked in                  ${((performance.now() - began) / 1000).toFixed(0)} s, clients included`);
  return { bytes, clients };
};

const run = async (): Promise<number> => {
  const sandbox = startChild('sandbox.ts');
  const place = await sandbox.ask<Place>('start');
  try {
    const { bytes, clients } = await hold(place, sandbox);
    console.log('with all of them connected:');
    const ratio = await compare(place, sandbox);
    const left = await clients.ask<number>('connected');
    await clients.stop();
    if (left !== connections) console.log(`${connections - left} connections were lost`);
    return ratio >= wantedRatio && bytes < allowedBytes && left === connections ? 0 : 1;
  } finally {
    await sandbox.stop();
  }
};

process.exitCode = await run();
