/** A node joins a cluster whose devices are connected: what it gets, when, which, and what anybody could notice of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { surplusOf } from '../../../src/service/cluster/share.ts';
import type { Cluster, TestNode } from '../../support/cluster.ts';
import { eventually } from '../../support/wait.ts';

interface Count {
  readonly id: string;
  readonly count: number;
}

/** How many devices each live node holds, the one with the fewest first. */
const countsOf = async (database: Client): Promise<readonly Count[]> =>
  (
    await database.query<Count>(
      `select n.id, (select count(*)::int from leases l where l.node = n.id) as count
       from nodes n where n.expires_at > extract(epoch from clock_timestamp()) * 1000 order by count`,
    )
  ).rows;

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

const listOf = async (node: TestNode): Promise<readonly Listed[]> =>
  (await node.api.get('/devices?limit=1000')).body.devices;

const eventsOf = async (cluster: Cluster, ids: readonly number[]): Promise<number> => {
  let events = 0;
  for (const id of ids) {
    events += (await cluster.nodes[0]!.api.get(`/devices/${id}/events?limit=1000`)).body.events.length;
  }
  return events;
};

/** Nobody has anything to give away: nothing moves any more. */
const isBalanced = (counts: readonly Count[], nodes: number, devices: number): boolean =>
  counts.length === nodes &&
  counts.reduce((sum, { count }) => sum + count, 0) === devices &&
  surplusOf(
    counts.map(({ count }) => ({ devices: count, draining: false })),
    counts.at(-1)!.count,
  ) === 0;

interface Joined {
  readonly moved: number;
  /** Until the last of them was connected. */
  readonly seconds: number;
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
}

/** Looks at every device's status, over and over, until it is told to stop: how often each was seen. */
const watchStatuses = (cluster: Cluster): (() => Promise<ReadonlyMap<string, number>>) => {
  const seen = new Map<string, number>();
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      const listed = (await Promise.all(cluster.nodes.map(listOf))).flat();
      for (const { status } of listed) seen.set(status, (seen.get(status) ?? 0) + 1);
      await sleep(100);
    }
  })();
  return async () => {
    end.abort();
    await watching;
    return seen;
  };
};

export const watchJoin = async (
  cluster: Cluster,
  ids: readonly number[],
  busy: readonly number[],
  use: (node: TestNode, id: number) => Promise<unknown>,
): Promise<Joined> => {
  const database = new Client(cluster.databaseUrl);
  database.on('error', () => undefined);
  await database.connect();
  const balanced = (nodes: number): Promise<boolean> =>
    eventually(
      `${nodes} nodes with their shares`,
      async () => isBalanced(await countsOf(database), nodes, ids.length),
      120_000,
    );
  await balanced(2);
  for (const id of busy) await use(cluster.nodes[0]!, id);
  const events = await eventsOf(cluster, ids);
  const numbers = new Map((await listOf(cluster.nodes[0]!)).map(({ id, name }) => [name, id]));
  const { seq = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  await cluster.add();
  const began = Date.now();
  const seen = watchStatuses(cluster);
  await balanced(3);
  const share = (await countsOf(database)).map(({ count }) => count).join(', ');
  await eventually(
    'all to be connected',
    async () => Number((await cluster.phones.stats())['loggedIn']) === ids.length,
    60_000,
  );
  const statuses = await seen();
  const logins = await cluster.phones.logins(seq);
  const moved = logins.map(({ number }) => numbers.get(number) ?? -1);
  const perThreeSeconds = Map.groupBy(logins, ({ at }) => Math.floor((at - began) / 3_000));
  const pace = [...perThreeSeconds.values()].map((those) => those.length).join(', ');
  const last = Math.max(...logins.map(({ at }) => at - began));
  const flapping = [...statuses].filter(([status]) => status !== 'connected');
  const busyMoved = moved.filter((id) => busy.includes(id)).length;
  const told = (await eventsOf(cluster, ids)) - events;
  const replaced = logins.filter((login) => login.replaced).length;
  await database.end();
  return {
    moved: moved.length,
    seconds: last / 1000,
    lines: [
      `a third node joins two with ${ids.length} devices: ${moved.length} have moved after ${last} ms (every 3 s: ${pace}), shares ${share}`,
      `  ${busyMoved} of those moved had just been used; ${statuses.get('connected')} looks at a device's status, all connected`,
    ],
    wrong: [
      ...(new Set(moved).size < moved.length ? ['a device has moved twice'] : []),
      ...(busyMoved > 0 ? [`${busyMoved} of ${busy.length} that had just been used have moved`] : []),
      ...flapping.map(([status, times]) => `a device was shown as ${status} ${times} times`),
      ...(replaced > 0 ? [`${replaced} logins replaced another connection`] : []),
      ...(told !== 0 ? [`${told} events told of it`] : []),
    ],
  };
};
