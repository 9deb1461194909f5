/** Messages written by phones, until the last has arrived at the webhook receiver or at bare sockets. */
import type { Child } from '../../test/system/support/child.ts';
import type { Side } from './compare.ts';
import type { Requests } from '../../test/system/support/requests.ts';

/** The receivers. */
export interface Arriving {
  readonly numbers: readonly string[];
  /** Numbers that write to each of them. */
  readonly writersOf: (index: number) => readonly string[];
  /** Resolves when this many have arrived since the last call. */
  readonly heard: (count: number) => Promise<unknown>;
}

export interface Burst {
  /** Total of all writers and receivers. */
  readonly count: number;
  /** Number of consecutive bursts; 1 by default. */
  readonly times?: number;
}

/** Time until the last one has arrived, ms. */
const burst = async (
  requests: Requests,
  controlUrl: string,
  { numbers, writersOf, heard }: Arriving,
  wanted: number,
): Promise<void> => {
  const pairs = numbers.flatMap((to, index) => writersOf(index).map((from) => ({ from, to })));
  const count = Math.ceil(wanted / pairs.length);
  const all = heard(count * pairs.length);
  const write = ({ from, to }: (typeof pairs)[number]): Promise<unknown> =>
    requests.post(`${controlUrl}/phones/${from}/messages`, { to, text: 'burst {n}', count });
  await Promise.all(pairs.map(write));
  await all;
};

export const arrivingSide = (
  requests: Requests,
  controlUrl: string,
  arriving: Arriving,
  process: { cpu(): Promise<NodeJS.CpuUsage> },
): Side<Burst> => ({
  async work({ count, times = 1 }) {
    const began = performance.now();
    for (let time = 0; time < times; time += 1) await burst(requests, controlUrl, arriving, count / times);
    return performance.now() - began;
  },
  cpu: () => process.cpu(),
});

/** Counts what a process with the call `heard` has received. */
export const heardBy =
  (child: Child) =>
  (count: number): Promise<unknown> =>
    child.ask('heard', count);
