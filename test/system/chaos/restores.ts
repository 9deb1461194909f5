/**
 * Restorations: the database is replaced by a copy of earlier, and the service goes on (docs/internals/durability.md, "A database that was put back"). What
 * came since the copy may be lost, and what callers repeat is sent again; for the rest, and for all that comes later, the verdict is as strict as ever.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf, type Wanted } from '../support/wanted.ts';
import type { Random } from '../support/random.ts';
import { type Copy, backUp, copyFiles } from './copies.ts';
import type { People } from './people.ts';
import type { Attempted, Sends } from './sends.ts';
import { wantSends } from './verdict.ts';
import type { World } from './world.ts';

interface Parts {
  readonly world: World;
  readonly wanted: Wanted;
  readonly sends: Sends;
  readonly people: People;
  readonly random: Random;
  /** The kills after which a copy is put back. */
  readonly after: ReadonlySet<number>;
  /** The quickest way alone. */
  readonly hurried: boolean;
}

/** A copy, and what had come of the run before it was begun. */
interface Made extends Copy {
  readonly posts: number;
  readonly answered: ReadonlySet<Attempted>;
}

const pollMs = 50;

export class Restores {
  readonly #parts: Parts;
  #made: Made | null = null;
  /** How often each way was gone. */
  readonly ways = new Map<string, number>();
  /** Events that came between a copy and its restoration. */
  readonly mayBeLost = new Set<string>();
  count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** In a life of the service, before it ends by this kill. */
  async alive(kill: number): Promise<void> {
    const { world, random, hurried } = this.#parts;
    if (!hurried && this.#isDue(kill) && random.chance(0.7))
      await this.#make((folder) => backUp(world, random, folder));
  }

  /** After this kill, while the service is dead. */
  async dead(kill: number): Promise<void> {
    const { world, random, after } = this.#parts;
    // All that the dead process has posted is there.
    await world.receiver.left();
    if (this.#made !== null && after.has(kill)) await this.#putBack(this.#made);
    else if (this.#isDue(kill)) await this.#make((folder) => copyFiles(world, random, folder));
  }

  /** There is no copy, and the next one to be put back must be made in an earlier life. */
  #isDue(kill: number): boolean {
    const { after, random } = this.#parts;
    if (this.#made !== null) return false;
    return after.has(kill + 1) || ((after.has(kill + 2) || after.has(kill + 3)) && random.chance(0.3));
  }

  async #make(copy: (folder: string) => Promise<Copy | null>): Promise<void> {
    const { world, sends } = this.#parts;
    const posts = world.receiver.received.length;
    const answered = new Set(sends.all.filter(({ messageIds }) => messageIds.length > 0));
    const made = await copy(await mkdtemp(join(world.copiesDir, 'copy-')));
    if (made !== null) this.#made = { ...made, posts, answered };
  }

  async #putBack(made: Made): Promise<void> {
    const { world, wanted, sends, people } = this.#parts;
    this.#made = null;
    await people.idle();
    wantSends({ world, wanted, sends });
    const events = world.receiver.received.map(({ event }) => event);
    const before = events.slice(0, made.posts);
    const ids = new Set(before.map(({ id }) => id));
    for (const { id } of events.slice(made.posts)) if (!ids.has(id)) this.mayBeLost.add(id);
    const names = new Set(before.map(nameOf));
    wanted.forgive((name) => names.has(name));
    sends.forget(made.answered);
    people.forget();
    const way = await made.putBack();
    this.ways.set(way, (this.ways.get(way) ?? 0) + 1);
    this.count += 1;
    process.stderr.write(`[${way}]`);
    // Some of it is written before the service runs again.
    void this.#recovered(this.count, await people.greet());
  }

  /** Writers who were heard under the new keys use them from then on. */
  async #recovered(count: number, names: readonly string[]): Promise<void> {
    const { world, people } = this.#parts;
    const missing = new Set<string | null>(names);
    for (let at = 0; missing.size > 0 && count === this.count; await sleep(pollMs, undefined, { ref: false })) {
      const { received } = world.receiver;
      for (; at < received.length; at += 1) missing.delete(nameOf(received[at]!.event));
    }
    if (count === this.count) people.inOrder = true;
  }
}
