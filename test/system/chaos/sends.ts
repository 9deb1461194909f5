/** Callers of the interface: they send, and repeat what went unanswered if they have given it a key. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Linked, World } from './world.ts';
import type { Group, Person } from '../support/people.ts';

export interface Attempted {
  readonly device: number;
  /** No two have the same. */
  readonly text: string;
  /** A time for one that is to be sent later; another one after a 400, when it had passed before the service ran. */
  body: Readonly<Record<string, string>>;
  readonly path: string;
  /** Idempotency-Key; null for none. */
  key: string | null;
  /** Those whose phones must show it. */
  readonly people: readonly Person[];
  /** One for each 200. */
  readonly messageIds: string[];
  /** Other answers, or why there was none. */
  readonly troubles: string[];
  /** How often the database was put back to a state that may not know of it: a repeat is then another message. */
  losses: number;
}

export interface Answered {
  readonly attempted: Attempted;
  readonly messageId: string;
}

export interface Unread {
  readonly messageId: string;
  readonly device: number;
  readonly person: Person;
}

interface Recipient {
  readonly to: Readonly<Record<string, string>>;
  readonly people: readonly Person[];
}

/** 2 × 2 pixels. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==';

const patienceMs = 40_000;

/** Kills come between the answer and the sending. */
const maxLaterMs = 3_000;

/** Batch cap of texts to one person: more than a session is stored ahead for. */
const maxAtOnce = 60;

export class Sends {
  readonly #world: World;
  readonly #random: Random;
  readonly #open = new Set<Attempted>();
  readonly #unread: Unread[] = [];
  /** Answers by a service that still has the database of then. */
  readonly #answered: Answered[] = [];
  #losses = 0;
  readonly all: Attempted[] = [];
  readonly #burst: boolean;
  #stopping = false;

  /** `burst`: most of them are many texts at once to one person. */
  constructor(world: World, random: Random, burst = false) {
    this.#world = world;
    this.#random = random;
    this.#burst = burst;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Those with a key that have not been answered with 200 yet. */
  get open(): number {
    return this.#open.size;
  }

  /** Sends and repeats, until `stop`. */
  async run(pauseMs: number): Promise<void> {
    while (!this.#stopping) {
      const [again] = this.#open;
      if (again !== undefined && this.#random.chance(0.5)) await this.#repeat(again);
      else if (this.#burst && this.#random.chance(0.8)) await this.#beginMany();
      else await this.#beginOne();
      await sleep(this.#random.between(0, 2 * pauseMs));
    }
  }

  /** Repeats what is open until all is answered, or time is up. */
  async finish(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (performance.now() < end) {
      const [next] = this.#open;
      if (next === undefined) return;
      await this.#repeat(next);
      if (next.messageIds.length === 0) await sleep(100);
    }
  }

  /** Those that were answered with 200, a message each, since the last call. */
  takeAnswered(): readonly Answered[] {
    return this.#answered.splice(0);
  }

  /** The database was put back to a state that knows of these. */
  forget(known: ReadonlySet<Attempted>): void {
    this.#losses += 1;
    this.#unread.length = 0;
    for (const each of this.all) if (!known.has(each)) each.losses += 1;
  }

  /** A message that a phone has not opened yet. */
  pickUnread(): Unread | null {
    return this.#unread.shift() ?? null;
  }

  async #beginOne(): Promise<void> {
    const sender = this.#random.pick(this.#world.linked);
    await this.#begin(this.#make(sender, this.#recipient(sender), this.#random.chance(0.08)));
  }

  async #beginMany(): Promise<void> {
    const sender = this.#random.pick(this.#world.linked);
    const person = this.#person(sender);
    const count = this.#random.between(2, maxAtOnce);
    await Promise.all(Array.from({ length: count }, () => this.#begin(this.#make(sender, person, false))));
  }

  #make(sender: Linked, { to, people }: Recipient, image: boolean): Attempted {
    const text = `send ${this.all.length}`;
    const content: Record<string, string> = image ? { mediaBase64: picture, mediaCaption: text } : { message: text };
    return {
      device: sender.device,
      text,
      body: { ...to, ...content, ...(this.#random.chance(0.2) ? { sendAt: this.#soon() } : {}) },
      path: `/devices/${sender.device}/messages/${image ? 'media' : 'text'}`,
      key: this.#random.chance(0.5) ? `key-${this.all.length}` : null,
      people,
      messageIds: [],
      troubles: [],
      losses: 0,
    };
  }

  /** Another time is another request, with a key of its own. */
  #later(attempted: Attempted): void {
    attempted.body = { ...attempted.body, sendAt: this.#soon() };
    if (attempted.key !== null) attempted.key = `${attempted.key}-later`;
  }

  #soon(): string {
    return new Date(Date.now() + this.#random.between(100, maxLaterMs)).toISOString();
  }

  #recipient(sender: Linked): Recipient {
    const group = this.#random.chance(0.2) ? this.#groupOf(sender) : null;
    if (group !== null) {
      return { to: { to: group.jid }, people: group.members.filter(({ number }) => number !== sender.number) };
    }
    return this.#person(sender);
  }

  #person(sender: Linked): Recipient {
    const { linked, others } = this.#world;
    const person = this.#random.pick([...others, ...linked.filter(({ number }) => number !== sender.number)]);
    const [member, address] = this.#random.pick([
      ['toNumber', person.number],
      ['to', person.jid],
      ['to', person.lid],
    ] as const);
    return { to: { [member]: address }, people: [person] };
  }

  #groupOf(sender: Linked): Group | null {
    const own = this.#world.groups.filter(({ members }) => members.some(({ number }) => number === sender.number));
    return own.length === 0 ? null : this.#random.pick(own);
  }

  async #begin(attempted: Attempted): Promise<void> {
    this.all.push(attempted);
    if (attempted.key !== null) this.#open.add(attempted);
    await this.#post(attempted);
    // Callers repeat at times though they were answered.
    if (attempted.key !== null && this.#random.chance(0.2)) await this.#post(attempted);
  }

  async #repeat(attempted: Attempted): Promise<void> {
    // Taken out meanwhile, so that two callers do not repeat the same at the same time for ever.
    this.#open.delete(attempted);
    this.#open.add(attempted);
    await this.#post(attempted);
  }

  async #post(attempted: Attempted): Promise<void> {
    const { device, key, people, body, path } = attempted;
    try {
      const client = await this.#world.api();
      const losses = this.#losses;
      const options = key === null ? {} : { headers: { 'idempotency-key': key } };
      const answer = await Promise.race([client.post(path, body, options), this.#deadline()]);
      if (answer.status !== 200) {
        attempted.troubles.push(`${answer.status} ${JSON.stringify(answer.body)}`);
        // Of two callers with the same one, one takes another time for it.
        if (answer.status === 400 && 'sendAt' in body && attempted.body === body) this.#later(attempted);
        return;
      }
      const messageId = answer.body.messageId as string;
      if (losses === this.#losses && !attempted.messageIds.includes(messageId)) {
        this.#answered.push({ attempted, messageId });
        if (people.length === 1 && !('sendAt' in body)) this.#unread.push({ messageId, device, person: people[0]! });
      }
      attempted.messageIds.push(messageId);
      this.#open.delete(attempted);
    } catch (error) {
      attempted.troubles.push(error instanceof Error ? error.message : String(error));
    }
  }

  async #deadline(): Promise<never> {
    await sleep(patienceMs, undefined, { ref: false });
    throw new Error('no answer in time');
  }
}
