/** From a phone to the receiver: events a second, and what a message takes longer than to a bare Baileys socket. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../test/support/api.ts';
import { type Phones, phonesOf } from '../../test/support/phones.ts';
import { type Child, startChild } from '../support/child.ts';
import { ms, percentile, until } from './figures.ts';
import type { Arrival } from './receiver.ts';

const key = `hs_${'D'.repeat(43)}`;
const ours = '4915581000001';
const bare = '4915581000002';
const writers = Array.from({ length: 8 }, (_, n) => String(4_915_582_000_000 + n));

interface Place {
  readonly controlUrl: string;
}

interface Parts {
  readonly phones: Phones;
  readonly service: Child;
  readonly receiver: Child;
  readonly socket: Child;
}

const linkOurs = async (url: string, phones: Phones, webhookUrl: string): Promise<void> => {
  const client = api(`${url}/v1`, key);
  const { device } = (await client.post('/devices', { webhookUrl, webhookEvents: ['message.received'] })).body;
  await phones.scan(ours, device.qr);
  await until('an open session', async () => {
    return (await client.get(`/devices/${device.id}/session`)).body.session.state === 'open';
  });
};

/** All writers write at once; events a second until the last one has come. */
const burst = async (phones: Phones, to: string, count: number, arrived: () => Promise<number>): Promise<number> => {
  const before = await arrived();
  const began = performance.now();
  const share = count / writers.length;
  await Promise.all(writers.map((writer) => phones.write(writer, { to, text: 'burst {n}', count: share })));
  await until('the burst', async () => (await arrived()) - before >= count);
  return (1000 * count) / (performance.now() - began);
};

const cpuMs = async (child: Child): Promise<number> => {
  const { user, system } = await child.ask<{ user: number; system: number }>('cpu');
  return (user + system) / 1000;
};

interface Burst {
  /** Events a second. */
  readonly rates: number[];
  /** CPU time of the process for each event, in ms. */
  readonly costs: number[];
}

const noted = async (into: Burst, child: Child, count: number, run: () => Promise<number>): Promise<void> => {
  const before = await cpuMs(child);
  into.rates.push(await run());
  into.costs.push(((await cpuMs(child)) - before) / count);
};

/** One message after the other, in turns to both: what each took, in ms. */
const paced = async (
  { phones, receiver, socket }: Parts,
  count: number,
): Promise<{ ours: number[]; bare: number[] }> => {
  const written = new Map<string, number>();
  await receiver.ask('arrivals');
  await socket.ask('arrivals');
  for (let n = 0; n < 2 * count; n += 1) {
    const [name, to] = n % 2 === 0 ? ['ours', ours] : ['bare', bare];
    const text = `${name} ${n}`;
    written.set(text, performance.timeOrigin + performance.now());
    await phones.write(writers[n % writers.length]!, { to, text });
    await sleep(5);
  }
  await sleep(1000);
  const toUs = (await receiver.ask<Arrival[]>('arrivals')).map(({ name, at }) => at - written.get(name)!);
  const toBare = (await socket.ask<[string, number][]>('arrivals')).map(([text, at]) => at - written.get(text)!);
  if (toUs.length < count || toBare.length < count) throw new Error(`only ${toUs.length} and ${toBare.length} came`);
  return { ours: toUs, bare: toBare };
};

const measure = async (parts: Parts, { messages, rounds }: { messages: number; rounds: number }): Promise<void> => {
  const { phones, service, receiver, socket } = parts;
  const posted = (): Promise<number> => receiver.ask<number>('count');
  let heard = 0;
  const heardBare = async (): Promise<number> => {
    heard += (await socket.ask<unknown[]>('arrivals')).length;
    return heard;
  };
  // Sessions with every writer, and warm code on all sides.
  await burst(phones, ours, 400, posted);
  await burst(phones, bare, 400, heardBare);
  const [toUs, toBare]: [Burst, Burst] = [
    { rates: [], costs: [] },
    { rates: [], costs: [] },
  ];
  for (let round = 0; round < rounds; round += 1) {
    await noted(toUs, service, messages, () => burst(phones, ours, messages, posted));
    await noted(toBare, socket, messages, () => burst(phones, bare, messages, heardBare));
  }
  const median = (figures: readonly number[]): number => percentile(figures, 0.5);
  const line = (name: string, { rates, costs }: Burst): string =>
    `  ${name} ${median(rates).toFixed(0).padStart(6)} a second, ${median(costs).toFixed(2)} ms CPU each`;
  console.log(`events from ${writers.length} phones, ${messages} messages at once, median of ${rounds} rounds`);
  console.log(line('to the receiver, signed ', toUs));
  console.log(line('to a bare Baileys socket', toBare));
  console.log(`  ratio of the rates       ${(median(toUs.rates) / median(toBare.rates)).toFixed(2).padStart(6)}`);
  const delays = await paced(parts, 500);
  console.log('delay from the phone, one message after the other, 500 each');
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [to, from] = [percentile(delays.ours, share), percentile(delays.bare, share)];
    console.log(`  ${name}: receiver ${ms(to)}, bare socket ${ms(from)}, extra ${ms(to - from)}`);
  }
};

export const benchPhones = async (sizes: { messages: number; rounds: number }): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
  const sandbox = startChild('sandbox.ts');
  const receiver = startChild('webhooks/receiver.ts');
  const socket = startChild('bare.ts');
  const place = await sandbox.ask<Place>('start', 'lenient');
  const service = startChild('handset.ts', {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: key,
    HANDSET_NETWORK: place.controlUrl,
    HANDSET_ALLOW_PRIVATE_URLS: 'true',
    HANDSET_RATE_LIMIT: '1000000',
    HANDSET_LOG_LEVEL: 'silent',
  });
  try {
    const phones = phonesOf(place.controlUrl);
    for (const number of [ours, bare, ...writers]) await phones.add(number, number);
    const url = await service.ask<string>('start');
    await linkOurs(url, phones, await receiver.ask<string>('start'));
    await socket.ask('start', place);
    await socket.ask('connect', [bare]);
    await socket.ask('listen');
    await measure({ phones, service, receiver, socket }, sizes);
  } finally {
    await Promise.all([service, receiver, socket, sandbox].map((child) => child.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
};
