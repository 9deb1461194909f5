/** Two ways to do the same work, in turns, so that what else the machine does falls on both. */
import { median } from './measured.ts';
import { cpuBetween } from './stage.ts';

export interface Side<O> {
  /** The time it took, ms. */
  readonly work: (order: O) => Promise<number>;
  readonly cpu: () => Promise<NodeJS.CpuUsage>;
}

export interface Compared {
  /** The ratio of the rates. */
  readonly ratio: number;
  /** The ratio by the CPU time of both processes: more telling on a busy machine. */
  readonly ratioByCpu: number;
  /** A second. */
  readonly ours: number;
  readonly bare: number;
  /** CPU milliseconds of the process for each. */
  readonly cpuOurs: number;
  readonly cpuBare: number;
}

/** Rounds' worth of work before the first: what runs for weeks is measured once it is compiled, and its log has its usual length. */
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
