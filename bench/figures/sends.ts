/** Sends: `POST /messages/text` end to end, durable and acked, against a bare Baileys socket with its keys in memory. */
import { type Measured, type Scale, median, quantile, rounded } from '../support/measured.ts';
import { paced } from '../support/paced.ts';
import { Stage, cpuBetween, numbersFrom, profiled } from '../support/stage.ts';

const inFlight = 16;
const devices = 20;

interface Order {
  readonly count: number;
  readonly devices: number;
  /** At a time on each device. */
  readonly inFlight: number;
}

interface Side {
  readonly send: (order: Order) => Promise<number>;
  readonly cpu: () => Promise<NodeJS.CpuUsage>;
}

const peer = '4915000000001';

/** The time it took, ms. */
const sendOurs = async (stage: Stage, ids: readonly number[], order: Order): Promise<number> => {
  const began = performance.now();
  let left = order.count;
  const worker = async (index: number): Promise<void> => {
    while (left-- > 0) {
      await stage.ask(`/devices/${ids[index % order.devices]!}/messages/text`, {
        toNumber: peer,
        message: `ours ${left}`,
      });
    }
  };
  await Promise.all(Array.from({ length: order.devices * order.inFlight }, (_, index) => worker(index)));
  return performance.now() - began;
};

interface Compared {
  readonly ratio: number;
  readonly ours: number;
  readonly bare: number;
  /** CPU milliseconds a message. */
  readonly cpuOurs: number;
  readonly cpuBare: number;
}

/** In turns, so that what else the machine does falls on both. */
const compare = async (ours: Side, bare: Side, order: Order, rounds: number): Promise<Compared> => {
  const rates = { ours: [] as number[], bare: [] as number[] };
  const cpu = { ours: 0, bare: 0 };
  for (const side of [ours, bare]) await side.send({ ...order, count: Math.ceil(order.count / 4) });
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, side] of [
      ['ours', ours],
      ['bare', bare],
    ] as const) {
      const before = await side.cpu();
      rates[name].push((order.count / (await side.send(order))) * 1000);
      cpu[name] += cpuBetween(before, await side.cpu());
    }
  }
  const count = order.count * rounds;
  const ratios = rates.ours.map((rate, round) => rate / rates.bare[round]!);
  return {
    ratio: median(ratios),
    ours: median(rates.ours),
    bare: median(rates.bare),
    cpuOurs: cpu.ours / count,
    cpuBare: cpu.bare / count,
  };
};

export const measure = async ({ short, profile }: Scale): Promise<Measured> => {
  await using stage = await Stage.open();
  const oursNumbers = numbersFrom(4_916_000_000_000, devices);
  const bareNumbers = numbersFrom(4_917_000_000_000, devices);
  await stage.addPhones([peer, ...oursNumbers, ...bareNumbers]);
  const ids = await stage.connectOurs(oursNumbers);
  await stage.connectBare(bareNumbers);
  const to = bareNumbers.map(() => `${peer}@s.whatsapp.net`);
  const ours: Side = { send: (order) => sendOurs(stage, ids, order), cpu: () => stage.ours.ask('cpu') };
  const bare: Side = { send: (order) => stage.bare.ask('send', { ...order, to }), cpu: () => stage.bare.ask('cpu') };
  const rounds = short ? 3 : 5;
  const one = await profiled(profile, { ours: stage.ours, bare: stage.bare, sandbox: stage.sandbox }, () =>
    compare(ours, bare, { count: short ? 300 : 1500, devices: 1, inFlight }, rounds),
  );
  const many = await compare(ours, bare, { count: short ? 600 : 3000, devices, inFlight }, rounds);
  const half = Math.min(one.ours, one.bare) / 2;
  const count = short ? 200 : 1500;
  const text = (): Promise<unknown> =>
    stage.ask(`/devices/${ids[0]!}/messages/text`, { toNumber: peer, message: 'paced' });
  const oursTimes = await paced(text, half, count);
  const bareTimes = await stage.bare.ask<number[]>('paced', { count, perSecond: half, to: to[0]! });
  return {
    figures: {
      sendRatio1: rounded(one.ratio),
      sendRatio20: rounded(many.ratio),
      sendsPerSecond1: rounded(one.ours),
      sendsPerSecond20: rounded(many.ours),
      bareSendsPerSecond1: rounded(one.bare),
      bareSendsPerSecond20: rounded(many.bare),
      sendCpuMs1: rounded(one.cpuOurs),
      bareSendCpuMs1: rounded(one.cpuBare),
      sendCpuMs20: rounded(many.cpuOurs),
      bareSendCpuMs20: rounded(many.cpuBare),
      perCoreRatio: rounded(one.cpuBare / one.cpuOurs),
      sendP50Ms: rounded(median(oursTimes)),
      sendP99Ms: rounded(quantile(oursTimes, 0.99)),
      sendAddedP50Ms: rounded(median(oursTimes) - median(bareTimes)),
      sendAddedP99Ms: rounded(quantile(oursTimes, 0.99) - quantile(bareTimes, 0.99)),
    },
  };
};
