/**
 * `npm run simulate -- [--nodes N] [--devices N] [--cells N] [--dead N] [--joining N]`: claim, renew and rebalance as discrete
 * events, no sockets, by the constants of the code. Tells how long each takes and what it asks of one PostgreSQL.
 */
import { parseArgs } from 'node:util';
import { leaseTimes } from '../../src/domain/lease.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10000' },
    devices: { type: 'string', default: '10000000' },
    /** Databases: nodes and devices are spread over them. */
    cells: { type: 'string', default: '100' },
    /** Nodes that die at once, in a cell. */
    dead: { type: 'string', default: '1' },
    /** Nodes that join at once, in a cell. */
    joining: { type: 'string', default: '10' },
    /** Devices that a node can connect in a second. */
    connects: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

const { leaseMs, renewMs } = leaseTimes();
/** As in `service/ownership.ts`. */
const takeMs = 500;
const moreMs = 100;
const takeSize = 64;
const movesAtATime = 32;

const whole = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
  return value;
};
const cells = Math.max(1, whole('cells'));
const nodeCount = Math.max(2, Math.round(whole('nodes') / cells));
const deviceCount = Math.round(whole('devices') / cells);
const connectsPerSecond = Math.max(1, whole('connects'));

let state = whole('seed');
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

interface Node {
  held: number;
  /** Taken, and not connected yet. */
  connecting: number;
  lookedAt: number;
}

interface Tally {
  /** Statements a second, by the second. */
  readonly statements: Map<number, number>;
}

const count = ({ statements }: Tally, at: number, many: number): void => {
  const second = Math.floor(at / 1000);
  statements.set(second, (statements.get(second) ?? 0) + many);
};

interface Happening {
  readonly at: number;
  readonly run: (at: number) => void;
}

/** The events to come, a binary heap by time. */
class Agenda {
  readonly #heap: Happening[] = [];

  add(at: number, run: (at: number) => void): void {
    const heap = this.#heap;
    heap.push({ at, run });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (heap[parent]!.at <= heap[child]!.at) break;
      [heap[parent], heap[child]] = [heap[child]!, heap[parent]!];
      child = parent;
    }
  }

  next(): Happening | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && heap[left + 1]!.at < heap[left]!.at ? left + 1 : left;
      if (heap[parent]!.at <= heap[child]!.at) break;
      [heap[parent], heap[child]] = [heap[child]!, heap[parent]!];
      parent = child;
    }
    return first;
  }
}

interface Outcome {
  /** Until every device has an owner, or the shares are even, ms. */
  readonly settledMs: number;
  /** Until every device is connected, ms. */
  readonly connectedMs: number;
  readonly peakStatements: number;
}

/** `free`: without an owner; they can be taken from `freeAt` on. Runs until nothing is free, even and connected. */
const play = (nodes: Node[], start: { readonly free: number; readonly freeAt: number }): Outcome => {
  const agenda = new Agenda();
  const tally: Tally = { statements: new Map() };
  const total = nodes.reduce((sum, { held }) => sum + held, start.free);
  const share = Math.ceil(total / nodes.length) + 1;
  let { free } = start;
  let settledMs = 0;
  let connectedMs = 0;
  const isDone = (): boolean =>
    free === 0 && nodes.every((node) => node.held >= share * 0.9 - 1 && node.connecting === 0);
  const limitMs = 3_600_000;

  const take =
    (node: Node) =>
    (at: number): void => {
      count(tally, at, 4);
      const connected = Math.min(node.connecting, (connectsPerSecond * (at - node.lookedAt)) / 1000);
      node.connecting -= connected;
      // Credentials, keys and a note, and now and then the leases: measured by pg_stat_statements, as is what a taken one costs.
      count(tally, at, connected * 4);
      node.lookedAt = at;
      let next = takeMs;
      if (at >= start.freeAt && node.held < share) {
        const taken = Math.min(takeSize, free, share - node.held);
        free -= taken;
        node.held += taken;
        node.connecting += taken;
        count(tally, at, taken);
        if (taken === takeSize) next = moreMs;
        if (taken > 0) settledMs = at;
      }
      if (node.connecting > 0) connectedMs = at + next;
      agenda.add(at + next, take(node));
    };
  const renew =
    (node: Node) =>
    (at: number): void => {
      count(tally, at, 4);
      const least = nodes.reduce((lowest, { held }) => Math.min(lowest, held), Infinity);
      const surplus = least < share * 0.9 ? node.held - share : 0;
      // Those that join are known to everybody by the second renewal.
      const isKnown = at >= renewMs;
      if (surplus > 0 && isKnown) {
        const given = Math.min(surplus, movesAtATime);
        node.held -= given;
        free += given;
        count(tally, at, given * 4);
        settledMs = at;
      }
      agenda.add(at + renewMs, renew(node));
    };
  for (const node of nodes) {
    agenda.add(random() * takeMs, take(node));
    agenda.add(random() * renewMs, renew(node));
  }
  let looked = 0;
  for (let next = agenda.next(); next !== undefined && next.at < limitMs; next = agenda.next()) {
    next.run(next.at);
    if (next.at - looked < 1000) continue;
    looked = next.at;
    if (isDone()) break;
  }
  return { settledMs, connectedMs, peakStatements: Math.max(...tally.statements.values()) };
};

const evenly = (many: number, over: number): Node[] =>
  Array.from({ length: over }, (_, n) => ({
    held: Math.floor(many / over) + (n < many % over ? 1 : 0),
    connecting: 0,
    lookedAt: 0,
  }));

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const tell = (what: string, { settledMs, connectedMs, peakStatements }: Outcome): void => {
  const times = `owned after ${seconds(settledMs)}, connected after ${seconds(connectedMs)}`;
  process.stdout.write(`${what}: ${times}; at most ${peakStatements} statements/s on the database of a cell\n`);
};

process.stdout.write(
  `${cells} cells of ${nodeCount} nodes and ${deviceCount} devices; lease ${leaseMs} ms, renewed every ${renewMs} ms\n`,
);
const idle = Math.round((nodeCount * 4 * 1000) / renewMs + (nodeCount * 4 * 1000) / takeMs);
process.stdout.write(`at rest: ${idle} statements/s a cell\n`);
tell('cold start', play(evenly(0, nodeCount), { free: deviceCount, freeAt: 0 }));
const dead = Math.min(whole('dead'), nodeCount - 1);
const orphans = Math.round((deviceCount * dead) / nodeCount);
tell(`${dead} dead`, play(evenly(deviceCount - orphans, nodeCount - dead), { free: orphans, freeAt: leaseMs }));
const joining = whole('joining');
tell(`${joining} joining`, play([...evenly(deviceCount, nodeCount), ...evenly(0, joining)], { free: 0, freeAt: 0 }));
