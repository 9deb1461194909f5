/** Sends: `POST /messages/text` end to end, durable and acked, against a bare Baileys socket with its keys in memory. */
import { type Side, compare, inLines } from '../support/compare.ts';
import { type Growth, type Measured, type Scale, median, quantile, rounded } from '../support/measured.ts';
import { paced } from '../support/paced.ts';
import { Stage, numbersFrom, profiled } from '../support/stage.ts';

const inFlight = 16;
const devices = 20;
const peer = '4915000000001';
const peerJid = `${peer}@s.whatsapp.net`;

interface Order {
  readonly count: number;
  readonly devices: number;
  /** At a time on each device. */
  readonly inFlight: number;
}

const sidesOf = (stage: Stage, ids: readonly number[]): { readonly ours: Side<Order>; readonly bare: Side<Order> } => ({
  ours: {
    work: (order) =>
      inLines(order.count, order.devices * order.inFlight, (line, left) =>
        stage.ask(`/devices/${ids[line % order.devices]!}/messages/text`, { toNumber: peer, message: `ours ${left}` }),
      ),
    cpu: () => stage.ours.ask('cpu'),
  },
  bare: {
    work: (order) => stage.bare.ask('send', { ...order, to: ids.map(() => peerJid) }),
    cpu: () => stage.bare.ask('cpu'),
  },
});

/** With how many devices the CPU time of a text is looked at. */
const countsOf = (short: boolean): readonly number[] => (short ? [] : [1, 10, 100]);

const measureGrowth = async (stage: Stage, ids: number[], short: boolean): Promise<Growth> => {
  const points = { ours: [] as [number, number][], bare: [] as [number, number][] };
  for (const count of countsOf(short)) {
    const more = Math.max(0, count - ids.length);
    const ours = numbersFrom(4_916_000_000_000 + ids.length, more);
    const bare = numbersFrom(4_917_000_000_000 + ids.length, more);
    await stage.addPhones([...ours, ...bare]);
    ids.push(...(await stage.connectOurs(ours)));
    await stage.connectBare(bare);
    const sides = sidesOf(stage, ids);
    const order = { count: 400, devices: count, inFlight: Math.max(1, Math.floor(64 / count)) };
    const { cpuOurs, cpuBare } = await compare(sides.ours, sides.bare, order, 3);
    points.ours.push([count, rounded(cpuOurs)]);
    points.bare.push([count, rounded(cpuBare)]);
  }
  return {
    title: 'CPU time of a text',
    unit: 'ms',
    lines: [
      { name: 'POST /messages/text', points: points.ours },
      { name: 'bare Baileys socket', points: points.bare },
    ],
  };
};

export const measure = async ({ short, profile }: Scale): Promise<Measured> => {
  await using stage = await Stage.open();
  const oursNumbers = numbersFrom(4_916_000_000_000, devices);
  const bareNumbers = numbersFrom(4_917_000_000_000, devices);
  await stage.addPhones([peer, ...oursNumbers, ...bareNumbers]);
  const ids = await stage.connectOurs(oursNumbers);
  await stage.connectBare(bareNumbers);
  const { ours, bare } = sidesOf(stage, ids);
  const rounds = 3;
  const one = await profiled(profile, { ours: stage.ours, bare: stage.bare, sandbox: stage.sandbox }, () =>
    compare(ours, bare, { count: short ? 300 : 1000, devices: 1, inFlight }, rounds),
  );
  const many = await compare(ours, bare, { count: short ? 600 : 2000, devices, inFlight }, rounds);
  const perSecond = Math.min(one.ours, one.bare) / 2;
  const count = short ? 200 : 1000;
  const text = (): Promise<unknown> =>
    stage.ask(`/devices/${ids[0]!}/messages/text`, { toNumber: peer, message: 'paced' });
  const oursTimes = await paced(text, perSecond, count);
  const bareTimes = await stage.bare.ask<number[]>('paced', { count, perSecond, to: peerJid });
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
    growth: short ? {} : { 'bench-send-cpu': await measureGrowth(stage, ids, short) },
  };
};
