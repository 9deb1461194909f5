/** Chats are archived, pinned and muted, some by callers and some on the account's phone; in the end service and phone must agree on what was set last. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/wait.ts';
import type { Person } from '../support/people.ts';
import type { Random } from '../support/random.ts';
import type { Linked, World } from './world.ts';

type Settings = Readonly<Record<string, boolean | string | null>>;

interface Chat {
  readonly account: Linked;
  readonly person: Person;
}

/** For the last change, when nothing is broken any more. */
const patienceMs = 60_000;

export class ChatSettings {
  readonly #world: World;
  readonly #random: Random;
  /** What was set last, of each chat. */
  readonly #set = new Map<string, Chat & { settings: Settings }>();
  readonly #wrong: string[] = [];
  changes = 0;
  #stopped = Infinity;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  stop(): void {
    this.#stopped = performance.now();
  }

  /** One change after the other, until `stop`; a caller repeats one until it is answered with 200. */
  async run(pauseMs: number): Promise<void> {
    while (this.#stopped === Infinity) {
      await this.#change();
      await sleep(this.#random.between(0, 2 * pauseMs));
    }
  }

  /** Where they do not agree in the end, in words. */
  async judge(): Promise<readonly string[]> {
    const wrong = [...this.#wrong];
    for (const { account, person, settings } of this.#set.values()) {
      let seen: readonly Settings[] = [];
      const agree = async (): Promise<boolean> => {
        seen = [await this.#onPhone(account, person), await this.#inService(account, person)];
        return seen.every((side) => Object.entries(settings).every(([name, value]) => side[name] === value));
      };
      await eventually('the settings', agree, 10_000).catch(() => {
        const [phone, service] = seen.map((side) => JSON.stringify(side));
        wrong.push(
          `device ${account.device}, chat with ${person.number}: set ${JSON.stringify(settings)}, phone ${phone}, service ${service}`,
        );
      });
    }
    return wrong;
  }

  async #change(): Promise<void> {
    const { linked, others, phones } = this.#world;
    const [account, person] = [this.#random.pick(linked), this.#random.pick(others)];
    const change: Settings = this.#random.pick([
      { archived: this.#random.chance(0.5) },
      { pinned: this.#random.chance(0.5) },
      { mutedUntil: this.#random.chance(0.5) ? 'always' : null },
    ]);
    // Each chat by one side alone: of two changes at the same time nobody could say which one is the last.
    const isSet =
      others.indexOf(person) % 2 === 0
        ? await this.#asked(account, person, change)
        : await phones.request('PATCH', `/phones/${account.number}/chats/${person.number}`, change).then(() => true);
    if (!isSet) return;
    this.changes += 1;
    const name = `${account.device} ${person.number}`;
    this.#set.set(name, { account, person, settings: { ...this.#set.get(name)?.settings, ...change } });
  }

  /** Asks until it is done; false for a chat that the service does not have, yet or any more. */
  async #asked({ device }: Linked, { number }: Person, change: Settings): Promise<boolean> {
    for (let trouble: unknown = null; ; await sleep(250)) {
      if (performance.now() > this.#stopped + patienceMs) {
        this.#wrong.push(`device ${device}, chat with ${number}: cannot be changed (${JSON.stringify(trouble)})`);
        return false;
      }
      const client = await this.#world.api();
      const answer = await client.put(`/devices/${device}/chats/${number}`, change).catch(() => null);
      if (answer?.status === 200) return true;
      if (answer?.status === 404) return false;
      trouble = answer?.body ?? null;
    }
  }

  async #onPhone({ number }: Linked, person: Person): Promise<Settings> {
    const path = `/phones/${number}/chats/${person.number}`;
    return (await this.#world.phones.request<{ chat: Settings }>('GET', path)).chat;
  }

  async #inService({ device }: Linked, { number }: Person): Promise<Settings> {
    const client = await this.#world.api();
    return (await client.get(`/devices/${device}/chats/${number}`)).body.chat;
  }
}
