/** Plays a journey with one client and records what the client sends in each scenario. */
import { setTimeout as sleep } from 'node:timers/promises';
import { shapesOf } from '../../src/whatsapp/capture/captures.ts';
import { ada, bob } from '../flows/steps.ts';
import { type Addressing, type Client, namesIn, type Start } from './clients.ts';
import { lineOf, type Names } from './lines.ts';
import { cyd, dot, type Journey, type Scenario } from './scenarios.ts';

/** Longer than what a client does by itself after a change. In steps: a process that is held up takes as long for each. */
const quietSteps = 20;
const stepMs = 30;

/** Until neither side has said anything for a while. */
const quiet = async (client: Client): Promise<void> => {
  let seen = -1;
  for (let steps = 0; steps < quietSteps; await sleep(stepMs)) {
    steps = seen === client.recorded.length ? steps + 1 : 0;
    seen = client.recorded.length;
  }
};

/** One client, and what it says in one scenario after the other. */
export class Player implements AsyncDisposable {
  readonly #client: Client;
  readonly #names: Names;

  private constructor(client: Client, names: Names) {
    this.#client = client;
    this.#names = names;
  }

  static async begin(start: Start, addressing: Addressing): Promise<Player> {
    const client = await start(addressing);
    const people: [string, string][] = [
      [ada, 'Ada'],
      [bob, 'Bob'],
      [cyd, 'Cyd'],
      [dot, 'Dot'],
    ];
    for (const [number, name] of people) await client.phones.add(number, name);
    return new Player(client, await namesIn(client.phones));
  }

  async prepare({ before }: Scenario): Promise<void> {
    if (before === undefined) return;
    await before(this.#client);
    await quiet(this.#client);
  }

  /** The lines that the client sends in a scenario, and in what happens then. */
  async record({ run }: Scenario, then: () => Promise<void> = async () => {}): Promise<readonly string[]> {
    const { recorded } = this.#client;
    const from = recorded.length;
    await run(this.#client);
    await then();
    await quiet(this.#client);
    return recorded.slice(from).flatMap((entry) => lineOf(entry, ada, this.#names) ?? []);
  }

  /** Shapes of everything that the client and the network have said to each other. */
  get shapes(): ReadonlySet<string> {
    const shapes = new Set<string>();
    for (const entry of this.#client.recorded) {
      if (entry.kind !== 'stanza' || (entry.number ?? ada) !== ada) continue;
      for (const shape of shapesOf(entry.from === 'client' ? 'out' : 'in', entry.node)) shapes.add(shape);
    }
    return shapes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

export interface Played {
  /** Lines by scenario. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  readonly shapes: ReadonlySet<string>;
}

export const play = async (journey: Journey, start: Start, addressing: Addressing): Promise<Played> => {
  await using player = await Player.begin(start, addressing);
  const lines = new Map<string, readonly string[]>();
  for (const scenario of journey.scenarios) {
    await player.prepare(scenario);
    lines.set(scenario.name, await player.record(scenario));
  }
  return { lines, shapes: player.shapes };
};
