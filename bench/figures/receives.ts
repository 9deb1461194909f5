/** Receives: from the phone to the webhook's receiver, durable and signed, against what bare Baileys sockets decrypt. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child.ts';
import { type Measured, type Scale, median, rounded } from '../support/measured.ts';
import { Stage, cpuBetween, numbersFrom, profiled } from '../support/stage.ts';

const devices = 20;
const writers = numbersFrom(4_915_582_000_000, 8);

/** Where messages go, and how many have come there. */
interface Side {
  readonly numbers: readonly string[];
  readonly arrived: () => Promise<number>;
  readonly cpu: () => Promise<NodeJS.CpuUsage>;
}

const connect = async (stage: Stage, numbers: readonly string[], webhookUrl: string): Promise<void> => {
  for (const number of numbers) {
    const wanted = { webhookUrl, webhookEvents: ['message.received'] };
    const { device } = await stage.ask<{ device: { id: number; qr: string } }>('/devices', wanted);
    await stage.post(`${stage.place.controlUrl}/phones/${number}/scan`, { qr: device.qr });
    while ((await stage.get<{ device: { status: string } }>(`/devices/${device.id}`)).device.status !== 'connected')
      await sleep(20);
  }
};

/** All writers write to all of them at once; messages a second until the last one has come. */
const burst = async (stage: Stage, { numbers, arrived }: Side, each: number): Promise<number> => {
  const count = each * writers.length * numbers.length;
  const before = await arrived();
  const began = performance.now();
  const write = (from: string, to: string): Promise<unknown> =>
    stage.post(`${stage.place.controlUrl}/phones/${from}/messages`, { to, text: 'burst {n}', count: each });
  await Promise.all(writers.flatMap((from) => numbers.map((to) => write(from, to))));
  while ((await arrived()) - before < count) await sleep(5);
  return (1000 * count) / (performance.now() - began);
};

interface Compared {
  readonly ratio: number;
  readonly rates: { readonly ours: number; readonly bare: number };
  /** CPU milliseconds a message. */
  readonly cpu: { readonly ours: number; readonly bare: number };
}

/** In turns, so that what else the machine does falls on both. */
const compare = async (stage: Stage, ours: Side, bare: Side, each: number, rounds: number): Promise<Compared> => {
  const rates = { ours: [] as number[], bare: [] as number[] };
  const cpu = { ours: 0, bare: 0 };
  // Sessions with every writer, and warm code on all sides.
  for (const side of [ours, bare]) await burst(stage, side, Math.max(10, Math.ceil(each / 4)));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, side] of [
      ['ours', ours],
      ['bare', bare],
    ] as const) {
      const before = await side.cpu();
      rates[name].push(await burst(stage, side, each));
      cpu[name] += cpuBetween(before, await side.cpu());
    }
  }
  const count = each * writers.length * ours.numbers.length * rounds;
  return {
    ratio: median(rates.ours.map((rate, round) => rate / rates.bare[round]!)),
    rates: { ours: median(rates.ours), bare: median(rates.bare) },
    cpu: { ours: cpu.ours / count, bare: cpu.bare / count },
  };
};

const measureWith = async (stage: Stage, receiver: Child, { short, profile }: Scale): Promise<Measured> => {
  const oursNumbers = numbersFrom(4_915_581_000_000, devices);
  const bareNumbers = numbersFrom(4_915_583_000_000, devices);
  await stage.addPhones([...oursNumbers, ...bareNumbers, ...writers]);
  await connect(stage, oursNumbers, await receiver.ask<string>('start'));
  await stage.connectBare(bareNumbers);
  await stage.bare.ask('listen');
  let heard = 0;
  const side = (numbers: readonly string[], arrived: Side['arrived'], process: Child): Side => {
    return { numbers, arrived, cpu: () => process.ask('cpu') };
  };
  const ours = (count: number): Side =>
    side(oursNumbers.slice(0, count), () => receiver.ask<number>('count'), stage.ours);
  const bare = (count: number): Side =>
    side(
      bareNumbers.slice(0, count),
      async () => (heard += (await stage.bare.ask<unknown[]>('arrivals')).length),
      stage.bare,
    );
  const rounds = short ? 3 : 5;
  const one = await profiled(profile, { ours: stage.ours, bare: stage.bare }, () =>
    compare(stage, ours(1), bare(1), short ? 60 : 200, rounds),
  );
  const many = await compare(stage, ours(devices), bare(devices), short ? 4 : 15, rounds);
  return {
    figures: {
      receiveRatio: rounded(one.ratio),
      receiveRatio20: rounded(many.ratio),
      receivesPerSecond1: rounded(one.rates.ours),
      receivesPerSecond20: rounded(many.rates.ours),
      bareReceivesPerSecond1: rounded(one.rates.bare),
      bareReceivesPerSecond20: rounded(many.rates.bare),
      receiveCpuMs1: rounded(one.cpu.ours),
      bareReceiveCpuMs1: rounded(one.cpu.bare),
      receiveCpuMs20: rounded(many.cpu.ours),
      bareReceiveCpuMs20: rounded(many.cpu.bare),
    },
  };
};

export const measure = async (scale: Scale): Promise<Measured> => {
  await using stage = await Stage.open({ HANDSET_ALLOW_PRIVATE_URLS: 'true' });
  const receiver = startChild('webhooks/receiver.ts');
  try {
    return await measureWith(stage, receiver, scale);
  } finally {
    await receiver.stop();
  }
};
