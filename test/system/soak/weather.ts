/** Bad weather: the network is made bad in one way after the other, each for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { World } from './world.ts';

interface Spell {
  readonly name: string;
  /** How often, against the others. */
  readonly weight: number;
  readonly ms: readonly [number, number];
  /** Only in runs that last at least so long: a send may wait 20 s for an answer. */
  readonly fromMinutes?: number;
  begin(world: World, random: Random): Promise<unknown>;
}

const faults = (body: object) => (world: World) => world.phones.request('PUT', '/faults', body);
const drop = (body: object) => (world: World, random: Random) =>
  world.phones.request('POST', '/drop', { number: random.pick(world.linked).number, ...body });

const spells: readonly Spell[] = [
  { name: 'calm', weight: 3, ms: [500, 1500], begin: faults({}) },
  { name: 'slow network', weight: 2, ms: [1000, 3000], begin: faults({ latencyMs: 120 }) },
  { name: 'slow acks', weight: 2, ms: [1000, 3000], begin: faults({ ackDelayMs: 400 }) },
  { name: 'stanzas lost with their connections', weight: 3, ms: [1000, 4000], begin: faults({ dropEvery: 40 }) },
  { name: 'one connection cut', weight: 3, ms: [100, 500], begin: drop({}) },
  { name: 'a stream error', weight: 1, ms: [100, 500], begin: drop({ streamError: 503 }) },
  { name: 'one connection silent', weight: 2, ms: [100, 500], begin: drop({ silently: true }) },
  {
    name: 'all connections cut',
    weight: 1,
    ms: [500, 1000],
    begin: (world) => world.phones.request('POST', '/drop', {}),
  },
  {
    name: 'nobody comes in',
    weight: 1,
    ms: [500, 2000],
    async begin(world) {
      await world.phones.request('PUT', '/faults', { refuseConnections: true });
      await world.phones.request('POST', '/drop', {});
    },
  },
  { name: 'nothing goes through', weight: 1, ms: [500, 1500], begin: faults({ halfOpen: true }) },
  { name: 'no keep-alives', weight: 1, ms: [500, 3000], begin: faults({ withholdPings: true }) },
  { name: 'sends refused', weight: 1, ms: [200, 500], begin: faults({ rejectSends: 479 }) },
  { name: 'no acks', weight: 1, ms: [200, 500], fromMinutes: 1, begin: faults({ withholdAcks: true }) },
  { name: 'media host down', weight: 1, ms: [300, 1000], begin: faults({ mediaStatus: 503 }) },
  {
    name: 'a phone away',
    weight: 1,
    ms: [500, 1500],
    async begin(world, random) {
      const path = `/phones/${random.pick(world.others).number}`;
      await world.phones.request('PATCH', path, { online: false });
      await sleep(random.between(200, 1000));
      await world.phones.request('PATCH', path, { online: true });
    },
  },
  {
    name: 'a phone without its sessions',
    weight: 1,
    ms: [100, 500],
    begin: (world, random) =>
      world.phones.request('POST', `/phones/${random.pick(world.others).number}/lose-sessions`, {}),
  },
];

export class Weather {
  /** How often each spell came. */
  readonly seen = new Map<string, number>();
  readonly #world: World;
  readonly #random: Random;
  readonly #possible: readonly Spell[];
  /** A short run has shorter spells, so that it sees several kinds. */
  readonly #pace: number;
  #stopping = false;

  constructor(world: World, random: Random, minutes: number) {
    this.#world = world;
    this.#random = random;
    this.#pace = Math.min(1, 0.4 + minutes);
    this.#possible = spells
      .filter(({ fromMinutes = 0 }) => minutes >= fromMinutes)
      .flatMap((spell) => Array.from({ length: spell.weight }, () => spell));
  }

  stop(): void {
    this.#stopping = true;
  }

  async run(): Promise<void> {
    while (!this.#stopping) {
      const spell = this.#random.pick(this.#possible);
      this.seen.set(spell.name, (this.seen.get(spell.name) ?? 0) + 1);
      await spell.begin(this.#world, this.#random);
      await sleep(this.#pace * this.#random.between(...spell.ms));
      await this.#world.phones.request('DELETE', '/faults');
    }
  }
}
