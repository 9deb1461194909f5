/** Compares two ways of doing the same work in turns, so that other load of the machine affects both. */
import { median } from './measured.ts';
import { cpuBetween } from './stage.ts';

export interface Side<O> {
  /** Returns the duration, ms. */
  readonly work: (order: O) => Promise<number>;
  readonly cpu: () => Promise<NodeJS.CpuUsage>;
}

export interface Compared {
  /** Ratio of the rates. */
  readonly ratio: number;
  /** Ratio of CPU time, more reliable on a busy machine. */
  readonly ratioByCpu: number;
  /** Per second. */
  readonly ours: number;
  readonly bare: number;
  /** CPU milliseconds each. */
  readonly cpuOurs: number;
  readonly cpuBare: number;
}

/** Warm-up in rounds: a service runs for weeks, so it is measured with compiled code and a log of its usual size. */
const warmUp = 4;

export const compare = async <O extends { readonly count: number }>(
  ours: Side<O>,
  bare: Side<O>,
  order: O,
  rounds: number,
): Promise<Compared> => {
  const rates = { ours: [] as number[], bare: [] as number[] };
  const cpu = { ours: 0, bare: 0 };
  for (const side of [ours, bare]) await side.work({ ...order, count: order.count * warmUp });
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, side] of [
      ['ours', ours],
      ['bare', bare],
    ] as const) {
      const before = await side.cpu();
      rates[name].push((order.count / (await side.work(order))) * 1000);
      cpu[name] += cpuBetween(before, await side.cpu());
    }
  }
  const count = order.count * rounds;
  return {
    ratio: median(rates.ours.map((rate, round) => rate / rates.bare[round]!)),
    ratioByCpu: cpu.bare / cpu.ours,
    ours: median(rates.ours),
    bare: median(rates.bare),
    cpuOurs: cpu.ours / count,
    cpuBare: cpu.bare / count,
  };
};
