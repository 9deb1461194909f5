/**
 * `npm run chaos:cluster -- [--minutes N] [--devices N] [--seed N] [--lease S] [--lasts S] [--only kill,pause,…]`: three nodes on one PostgreSQL with
 * traffic in both directions, while nodes are killed, paused and resumed, cut off from the database, added and drained at random.
 * Then nothing may be lost, doubled or unreadable, and no device may have been connected twice. Exit code 1 with a list of what is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCluster } from '../support/cluster.ts';
import { faultsIn, printLogged } from './support/logged.ts';
import { randomOf } from './support/random.ts';
import { makeClock } from './cluster/clock.ts';
import { Troubles, troubleNames } from './cluster/troubles.ts';
import { judge } from './cluster/verdict.ts';
import { Traffic, link, untilAllOpen } from './cluster/world.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Seconds. */
    lease: { type: 'string', default: '10' },
    /** Seconds, of what else lasts somewhat longer than a lease. */
    lasts: { type: 'string' },
    /** In this order, each once or until the time is over. */
    only: { type: 'string' },
    /** Seconds that the sessions get to be open again. */
    patience: { type: 'string', default: '60' },
    /** Between two messages of a sender, ms. */
    pause: { type: 'string', default: '50' },
  },
});

const random = randomOf(Number(values.seed));
const leaseMs = Number(values.lease) * 1_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const wanted = values.only?.split(',') ?? null;
const unknown = wanted?.filter((name) => !(name in troubleNames)) ?? [];
if (unknown.length > 0)
  throw new Error(`--only: ${unknown.join(', ')}? It may name ${Object.keys(troubleNames).join(', ')}`);

const began = performance.now();
const cluster = await startCluster(0, { HANDSET_LEASE_SECONDS: values.lease });
await makeClock(cluster.databaseUrl);
await Promise.all([cluster.add(), cluster.add(), cluster.add()]);
let wrong: readonly string[];
try {
  const devices = await link(cluster, Number(values.devices));
  say(`${devices.length} devices are linked after ${Math.round((performance.now() - began) / 1000)} s`);
  const traffic = new Traffic(cluster, devices, Number(values.pause));
  const troubles = new Troubles(
    cluster,
    random,
    leaseMs,
    values.lasts === undefined ? null : Number(values.lasts) * 1_000,
  );
  traffic.start();
  const until = performance.now() + Number(values.minutes) * 60_000;
  const names = Object.keys(troubleNames);
  for (let round = 0; performance.now() < until; round += 1) {
    const name = wanted === null ? random.pick(names) : wanted[round];
    if (name === undefined) break;
    const from = performance.now();
    const { seq = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
    const make = (): Promise<void> => troubles.make(name);
    await (name === 'restore' ? traffic.quietly(make) : make());
    const open = await untilAllOpen(cluster, devices, Number(values.patience) * 1_000);
    say(
      `${name}: ${open === null ? '' : `NOT `}all sessions open ${Math.round(performance.now() - from)} ms after it began`,
    );
    say(`  ${(await cluster.phones.logins(seq)).length} logins meanwhile`);
    if (open !== null) say(open.join(', '));
    if (open !== null) break;
    await sleep(random.between(200, 1_500));
  }
  await troubles.settled();
  await traffic.stop();
  wrong = [
    ...(await judge(cluster, devices, traffic, troubles)),
    ...cluster.ownEnds.map((how) => `a node ended by itself: ${how}`),
    ...faultsIn(cluster.errors),
  ];
  printLogged(cluster.errors);
  const { written, sent } = traffic;
  say(
    `seed ${values.seed}: ${devices.length} devices, ${troubles.made} troubles, ${written.length} received, ${sent.length} sent`,
  );
} finally {
  await cluster[Symbol.asyncDispose]();
}
for (const line of wrong.slice(0, 100)) process.stdout.write(`${line}\n`);
process.stdout.write(
  wrong.length === 0 ? 'nothing lost, doubled, unreadable or connected twice\n' : `${wrong.length} things are wrong\n`,
);
process.exit(wrong.length === 0 ? 0 : 1);
