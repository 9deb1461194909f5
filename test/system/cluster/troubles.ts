/** Faults of the nodes in the cluster's chaos, and when a paused node may have left connections behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, TestNode } from '../../support/cluster.ts';
import { eventually } from '../../support/wait.ts';
import type { Random } from '../support/random.ts';
import { numberIn, setClock } from './clock.ts';

export const troubleNames = {
  kill: 'kill -9, and a new node',
  pause: 'SIGSTOP for longer than a lease, then SIGCONT',
  blink: 'SIGSTOP for less than a lease',
  refuse: 'one node is refused by the database for longer than a lease',
  hang: 'one node hears nothing from the database for longer than a lease',
  flicker: 'one node loses its connections to the database, and may connect again',
  outage: 'no node reaches the database for longer than a lease',
  join: 'a new node beside the others',
  clock: 'the clock of PostgreSQL is set by a minute, ahead or back, and a node is killed',
  drain: 'a graceful stop, and a new node',
  restore: 'PostgreSQL is put back to a state of some seconds ago; nobody writes meanwhile',
} as const;

/** The network cannot know of the end of a process that cannot close its sockets: the newcomer's login ends them. */
export interface Pause {
  readonly from: number;
  until: number;
}

/** More nodes than this are not kept. */
const maxNodes = 4;

export class Troubles {
  readonly pauses: Pause[] = [];
  made = 0;
  /** A node that takes the place of a dead one: nobody waits for its start. */
  #coming: Promise<unknown> = Promise.resolve();
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #leaseMs: number;

  readonly #lastsMs: number | null;

  /** `lastsMs`: what lasts longer than a lease lasts so long. */
  constructor(cluster: Cluster, random: Random, leaseMs: number, lastsMs: number | null) {
    this.#cluster = cluster;
    this.#random = random;
    this.#leaseMs = leaseMs;
    this.#lastsMs = lastsMs;
  }

  /** Resolves when every node has come. */
  settled(): Promise<unknown> {
    return this.#coming;
  }

  async make(name: string): Promise<void> {
    await this.#coming;
    this.made += 1;
    const node = this.#random.pick(this.#cluster.nodes);
    switch (name) {
      case 'kill':
        await node.kill();
        this.#coming = this.#cluster.add();
        return;
      case 'pause':
        return this.#pause(node, this.#longMs());
      case 'blink':
        return this.#pause(node, this.#random.between(100, this.#leaseMs / 3));
      case 'refuse':
        return this.#cut([node], 'refuse', this.#longMs());
      case 'hang':
        return this.#cut([node], 'hang', this.#longMs());
      case 'flicker':
        return this.#cut([node], 'refuse', this.#random.between(10, 1_000));
      case 'outage':
        return this.#cut(this.#cluster.nodes, this.#random.pick(['refuse', 'hang'] as const), this.#longMs());
      case 'clock':
        await setClock(this.#cluster.databaseUrl, this.#random.pick([-60, 60] as const));
        await node.kill();
        this.#coming = this.#cluster.add();
        return;
      case 'restore':
        return this.#restore();
      case 'join':
        await this.#cluster.add();
        if (this.#cluster.nodes.length > maxNodes) await this.#cluster.nodes[0]!.stop();
        return;
      default:
        await Promise.all([node.stop(), this.#cluster.add()]);
    }
  }

  async #restore(): Promise<void> {
    const { postgres, databaseUrl, phones } = this.#cluster;
    // What a device takes after the snapshot is lost with it.
    await eventually(
      'nothing waits at the network',
      async () => {
        const { pending } = await phones.stats();
        return Object.values(pending as Record<string, number>).every((count) => count === 0);
      },
      60_000,
    );
    const value = (query: string) => numberIn(databaseUrl, query);
    await postgres.snapshot();
    const before = await value('select value from generation');
    const nodes = this.#cluster.nodes.length;
    await eventually(
      'every node has counted on',
      async () => (await value('select value from generation')) > before + nodes,
      60_000,
    );
    await postgres.restore();
    await eventually(
      'the restoration is noticed',
      async () => (await value('select value from generation')) > before + 1_000,
      60_000,
    );
  }

  /** Longer than a lease: the devices are taken by others, or (the database away) must not be. */
  #longMs(): number {
    return this.#lastsMs ?? this.#leaseMs * 1.2 + this.#random.between(0, this.#leaseMs / 2);
  }

  async #pause(node: TestNode, ms: number): Promise<void> {
    const pause = { from: Date.now(), until: Infinity };
    this.pauses.push(pause);
    node.signal('SIGSTOP');
    await sleep(ms);
    node.signal('SIGCONT');
    pause.until = Date.now();
  }

  async #cut(nodes: readonly TestNode[], how: 'refuse' | 'hang', ms: number): Promise<void> {
    for (const { database } of nodes) database[how]();
    await sleep(ms);
    for (const { database } of nodes) database.restore();
  }
}
