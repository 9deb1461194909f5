/**
 * `npm run chaos:cluster -- [--devices N] [--rounds N] [--seed N] [--only kill,pause,…]`: three nodes on one PostgreSQL with
 * traffic in both directions, while nodes are killed, paused (SIGSTOP) and resumed, drained and added, and the database goes
 * away and comes back. Then nothing may be lost, doubled or unreadable. Exit code 1 with a list of what is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Cluster, startCluster } from '../test/support/cluster.ts';
import { randomOf } from './chaos/random.ts';
import { judge } from './cluster/verdict.ts';
import { Traffic, link, untilAllOpen } from './cluster/world.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
});

/** Longer than a lease: the devices are taken by others, or (the database away) must not be. */
const longMs = 13_000;

type Trouble = (cluster: Cluster, pick: (count: number) => number) => Promise<void>;

const troubles: Readonly<Record<string, Trouble>> = {
  async kill(cluster, pick) {
    await cluster.nodes[pick(cluster.nodes.length)]!.kill();
    await cluster.add();
  },
  async pause(cluster, pick) {
    const node = cluster.nodes[pick(cluster.nodes.length)]!;
    node.signal('SIGSTOP');
    await sleep(longMs);
    node.signal('SIGCONT');
  },
  async outage(cluster) {
    await cluster.postgres.stop();
    await sleep(longMs);
    await cluster.postgres.start();
  },
  async drain(cluster, pick) {
    const added = await cluster.add();
    const others = cluster.nodes.filter((node) => node !== added);
    await others[pick(others.length)]!.stop();
  },
};

const names = values.only?.split(',') ?? Object.keys(troubles);
const random = randomOf(Number(values.seed));
const pick = (count: number): number => Math.min(count - 1, Math.floor(random.between(0, count)));
const count = Number(values.devices);

const cluster = await startCluster(3);
let wrong: string[];
try {
  const devices = await link(cluster, count);
  const traffic = new Traffic(cluster, devices, 20);
  traffic.start();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Given ones in their order, else at random.
    const name = values.only === undefined ? names[pick(names.length)]! : names[round % names.length]!;
    const began = performance.now();
    await troubles[name]!(cluster, pick);
    await untilAllOpen(cluster, devices, 60_000);
    process.stderr.write(`${name}: all sessions open ${Math.round(performance.now() - began)} ms after it began\n`);
    await sleep(1_000);
  }
  await traffic.stop();
  wrong = await judge(cluster, devices, traffic);
  const { written, sent } = traffic;
  process.stdout.write(
    `seed ${values.seed}: ${devices.length} devices, ${written.length} received, ${sent.length} sent\n`,
  );
} finally {
  await cluster[Symbol.asyncDispose]();
}
for (const line of wrong) process.stdout.write(`${line}\n`);
process.stdout.write(
  wrong.length === 0 ? 'nothing lost, doubled or unreadable\n' : `${wrong.length} things are wrong\n`,
);
process.exit(wrong.length === 0 ? 0 : 1);
