/**
 * `npm run bench:cluster -- [--only forward,rate,takeover,join] [--sends N] [--seconds N] [--devices N] [--joined N] [--dry]`: what forwarding
 * costs, sends a second on one, two and three nodes of one machine, how long it takes until the devices of a node that was killed are connected
 * again, and how a node that joins gets its share. Writes the figures beside those of `bench:all`.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { type Cluster, type TestNode, startCluster } from '../test/support/cluster.ts';
import { eventually } from '../test/support/wait.ts';
import { watchJoin } from '../test/system/cluster/join.ts';
import { linkLight } from '../test/system/cluster/linked.ts';
import { bob } from '../test/system/cluster/world.ts';
import { rounded } from './support/measured.ts';
import { keepMore } from './support/record.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'forward,rate,takeover,join' },
    sends: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '8' },
    devices: { type: 'string', default: '1000' },
    /** Devices of two nodes that a third one joins. */
    joined: { type: 'string', default: '200' },
    /** Writes nothing. */
    dry: { type: 'boolean', default: false },
  },
});

/** By their names in `bench/results.json`. */
const figures: Record<string, number> = { clusterLoad: rounded(loadavg()[0]!) };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const numbersOf = (count: number): string[] => Array.from({ length: count }, (_, n) => String(491_550_000_000 + n));
const percentile = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? NaN;

const loggedIn = async (cluster: Cluster): Promise<number> => Number((await cluster.phones.stats())['loggedIn']);

const untilConnected = (cluster: Cluster, count: number, timeoutMs: number): Promise<boolean> =>
  eventually(`${count} connections`, async () => (await loggedIn(cluster)) === count, timeoutMs);

const cpuOf = async (node: TestNode): Promise<number> => {
  const { user, system } = await node.child.ask<NodeJS.CpuUsage>('cpu');
  return (user + system) / 1000;
};

const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);

const memoryOf = async (node: TestNode): Promise<number> => (await node.child.ask<number>('memory')) / 1e6;

interface Begun {
  readonly cluster: Cluster;
  readonly ids: readonly number[];
  /** Of the first node, before it had a device. */
  readonly startedMb: number;
}

const begin = async (nodes: number, devices: number): Promise<Begun> => {
  const counting = ['shared_preload_libraries=pg_stat_statements'];
  const cluster = await startCluster(nodes, { HANDSET_LEASE_SECONDS: '10' }, true, counting);
  await cluster.phones.add(bob, 'Bob');
  const startedMb = await memoryOf(cluster.nodes[0]!);
  const ids = await linkLight(cluster, numbersOf(devices));
  await untilConnected(cluster, devices, 200_000);
  return { cluster, ids, startedMb };
};

let texts = 0;
const send = async (node: TestNode, id: number): Promise<number> => {
  const began = performance.now();
  const message = `text ${(texts += 1)}`;
  const { status, body } = await node.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message });
  if (status !== 200) throw new Error(`a send: ${status} ${JSON.stringify(body)}`);
  return performance.now() - began;
};

/** The same device, by its own node and by the other one, in turns. */
const forward = async (): Promise<void> => {
  const { cluster, ids } = await begin(2, 1);
  await using _ = cluster;
  const times = cluster.nodes.map((): number[] => []);
  for (let n = 0; n < Number(values.sends) + 30; n += 1) {
    for (const [index, node] of cluster.nodes.entries()) {
      const ms = await send(node, ids[0]!);
      if (n >= 30) times[index]!.push(ms);
    }
  }
  const [direct = 0, forwarded = 0] = times.map((list) => percentile(list, 0.5)).toSorted((a, b) => a - b);
  const ratio = (forwarded / direct).toFixed(2);
  say(`forwarded against direct send: p50 ${forwarded.toFixed(1)} ms against ${direct.toFixed(1)} ms, ratio ${ratio}`);
  figures['clusterDirectP50Ms'] = rounded(direct);
  figures['clusterForwardedP50Ms'] = rounded(forwarded);
  figures['clusterForwardRatio'] = rounded(forwarded / direct);
};

const rate = async (): Promise<void> => {
  const { cluster, ids } = await begin(1, 12);
  await using _ = cluster;
  for (let count = 1; count <= 3; count += 1) {
    if (count > 1) {
      await cluster.add();
      await sleep(8_000);
      await untilConnected(cluster, ids.length, 30_000);
    }
    const { nodes } = cluster;
    const before = sum(await Promise.all(nodes.map(cpuOf)));
    const until = performance.now() + Number(values.seconds) * 1_000;
    let sent = 0;
    const sender = async (n: number): Promise<void> => {
      for (; performance.now() < until; sent += 1) await send(nodes[n % nodes.length]!, ids[n % ids.length]!);
    };
    await Promise.all(Array.from({ length: 24 }, (_each, n) => sender(n)));
    const cpu = sum(await Promise.all(nodes.map(cpuOf))) - before;
    const perSecond = sent / Number(values.seconds);
    say(`${count} nodes: ${perSecond.toFixed(0)} sends a second, ${(cpu / sent).toFixed(1)} ms of the nodes' CPU each`);
    figures[`clusterSendsPerSecond${count}`] = rounded(perSecond);
    figures[`clusterSendCpuMs${count}`] = rounded(cpu / sent);
  }
};

/** Counts what all nodes ask of the database from now on. */
const countStatements = async (cluster: Cluster): Promise<() => Promise<number>> => {
  const database = new Client(cluster.databaseUrl);
  await database.connect();
  await database.query('create extension if not exists pg_stat_statements');
  await database.query('select pg_stat_statements_reset()');
  return async () => {
    const { rows } = await database.query<{ calls: number }>(
      'select sum(calls)::int as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()',
    );
    await database.end();
    return rows[0]!.calls;
  };
};

/** What two others get of so many devices while they wait to be steady. */
const extra = 1.15;
const leaseMs = 10_000;

/** All devices on one node, which is killed when two others have been there for a lease: before that they take nothing of the dead. */
const takeover = async (): Promise<void> => {
  const count = Math.ceil(Number(values.devices) * extra);
  const { cluster, startedMb } = await begin(1, count);
  await using _ = cluster;
  const [old] = cluster.nodes as [TestNode];
  const perDevice = ((await memoryOf(old)) - startedMb) / count;
  say(
    `${count} devices on one node: ${perDevice.toFixed(2)} MB each, beside the ${startedMb.toFixed(0)} MB of an empty one`,
  );
  const others = await Promise.all([cluster.add(), cluster.add()]);
  await sleep(leaseMs + 1_000);
  const before = await Promise.all(others.map(cpuOf));
  const { seq = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  const statements = await countStatements(cluster);
  const began = Date.now();
  await old.kill();
  await untilConnected(cluster, count, 200_000);
  const after = await Promise.all(others.map(cpuOf));
  const logins = (await cluster.phones.logins(seq)).map(({ at }) => at - began).toSorted((a, b) => a - b);
  const taken = logins.length;
  const asked = (await statements()) / taken;
  const cpu = (sum(after) - sum(before)) / taken;
  const [first = NaN] = logins;
  const all = logins.at(-1) ?? NaN;
  const half = percentile(logins, 0.5);
  const perSecond = taken / ((all - first) / 1000);
  say(`takeover of ${taken} devices: the first after ${first} ms, half after ${half} ms, all after ${all} ms`);
  say(
    `  ${perSecond.toFixed(0)} connections a second on two nodes, ${cpu.toFixed(1)} ms of the nodes' CPU and ${asked.toFixed(1)} statements each`,
  );
  Object.assign(figures, {
    clusterDevices: taken,
    clusterMemoryPerDeviceMb: rounded(perDevice),
    clusterEmptyNodeMb: rounded(startedMb),
    clusterTakeoverFirstSeconds: rounded(first / 1000),
    clusterTakeoverHalfSeconds: rounded(half / 1000),
    clusterTakeoverSeconds: rounded(all / 1000),
    clusterTakeoverPerSecond: rounded(perSecond),
    clusterTakeoverCpuMs: rounded(cpu),
    clusterTakeoverStatements: rounded(asked),
  });
};

/** A third node beside two with all devices, of which half were used a moment ago. */
const join = async (): Promise<void> => {
  const { cluster, ids } = await begin(2, Number(values.joined));
  await using _ = cluster;
  const busy = ids.slice(0, Math.floor(ids.length / 2));
  const { moved, seconds, lines, wrong } = await watchJoin(cluster, ids, busy, send);
  for (const line of [...lines, ...wrong.map((each) => `WRONG: ${each}`)]) say(line);
  if (wrong.length > 0) process.exitCode = 1;
  Object.assign(figures, { clusterJoined: ids.length, clusterJoinMoved: moved, clusterJoinSeconds: rounded(seconds) });
};

const parts: Readonly<Record<string, () => Promise<void>>> = { forward, rate, takeover, join };
for (const name of values.only.split(',')) await parts[name]!();
if (!values.dry) await keepMore(figures);
process.exit();
