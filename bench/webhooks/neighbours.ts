/** A hundred endpoints, and then one of them dead: what the others notice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child.ts';
import { ms, percentile } from './figures.ts';
import type { Arrival } from './receiver.ts';

const endpoints = 100;
const perSecond = 500;

interface Round {
  readonly name: string;
  readonly outbox: Child;
  readonly receiver: Child;
  readonly deviceIds: readonly number[];
  readonly seconds: number;
}

/** Delays from the commit of an event to its arrival, in ms. */
const delaysOf = async ({ name, outbox, receiver, deviceIds, seconds }: Round): Promise<number[]> => {
  const written = new Map(
    await outbox.ask<[string, number][]>('write', { deviceIds, perSecond, seconds, round: name }),
  );
  await sleep(1000);
  const arrivals = await receiver.ask<Arrival[]>('arrivals');
  return arrivals.flatMap((arrival) => {
    const at = written.get(arrival.name);
    return at === undefined ? [] : [arrival.at - at];
  });
};

export const benchNeighbours = async ({ rounds, seconds }: { rounds: number; seconds: number }): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
  const receiver = startChild('webhooks/receiver.ts');
  const outbox = startChild('webhooks/outbox.ts');
  try {
    const url = await receiver.ask<string>('start');
    await outbox.ask('open', dataDir);
    const healthy = await outbox.ask<number[]>(
      'devices',
      Array.from({ length: endpoints }, () => `${url}/hook`),
    );
    const [dead] = (await outbox.ask<number[]>('devices', [`${url}/dead`])) as [number];
    await outbox.ask('dispatch');
    const round = { outbox, receiver, seconds };
    await delaysOf({ ...round, name: 'warm', deviceIds: healthy });
    const p99: { all: number[]; oneDead: number[] } = { all: [], oneDead: [] };
    for (let n = 0; n < rounds; n += 1) {
      const all = await delaysOf({ ...round, name: `all ${n}`, deviceIds: healthy });
      // The dead one takes the place of the last: its share of the events goes there.
      const rest = await delaysOf({ ...round, name: `dead ${n}`, deviceIds: [...healthy.slice(0, -1), dead] });
      p99.all.push(percentile(all, 0.99));
      p99.oneDead.push(percentile(rest, 0.99));
    }
    const [all, oneDead] = [percentile(p99.all, 0.5), percentile(p99.oneDead, 0.5)];
    console.log(
      `p99 from commit to arrival, ${endpoints} endpoints, ${perSecond} events a second, median of ${rounds} rounds`,
    );
    console.log(`  all answer                  ${ms(all)}`);
    console.log(`  one never answers           ${ms(oneDead)} at the other ${endpoints - 1}`);
    console.log(`  ratio                       ${(oneDead / all).toFixed(2)}`);
  } finally {
    await Promise.all([outbox.stop(), receiver.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
};
