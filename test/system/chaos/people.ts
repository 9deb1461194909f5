/** People at their phones: they write to the linked accounts, change their minds, read, and ring. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Sends } from './sends.ts';
import type { Wanted } from '../support/wanted.ts';
import type { Linked, World } from './world.ts';
import type { Group, Person } from '../support/people.ts';

interface Written {
  readonly id: string;
  readonly writer: Person;
  /** The linked accounts that must hear of it. */
  readonly hearers: readonly Linked[];
}

/** How many of the newest own messages a person may still change. */
const memory = 20;

export class People {
  readonly #world: World;
  readonly #wanted: Wanted;
  readonly #sends: Sends;
  readonly #random: Random;
  readonly #written: Written[] = [];
  readonly #acts = new Set<Promise<void>>();
  #last = 0;
  #stopping = false;
  /** Messages of one person in one chat come as they were written. Not so while they are asked for again, under new keys. */
  inOrder = true;

  constructor(world: World, wanted: Wanted, sends: Sends, random: Random) {
    this.#world = world;
    this.#wanted = wanted;
    this.#sends = sends;
    this.#random = random;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** A number that no other text has: several act at the same time. */
  #newNumber(): number {
    this.#last += 1;
    return this.#last;
  }

  /** One person after the other does something, until `stop`. */
  async run(pauseMs: number): Promise<void> {
    while (!this.#stopping) {
      const act = this.#act(this.#random.next());
      this.#acts.add(act);
      await act.finally(() => this.#acts.delete(act));
      // Each message under former keys is asked for again, twenty of a sender in a minute.
      await sleep(this.#random.between(0, 2 * pauseMs) * (this.inOrder ? 1 : 10));
    }
  }

  /** Resolves when what they do at this moment is done. */
  async idle(): Promise<void> {
    // One ends, and another begins.
    while (this.#acts.size > 0) await Promise.all(this.#acts);
  }

  /** The service may not know any more what was written so far, nor the keys: nobody changes it. */
  forget(): void {
    this.#written.length = 0;
    this.inOrder = false;
  }

  /** Everybody writes in each chat with a linked account. The names of what must come of it. */
  async greet(): Promise<readonly string[]> {
    const { linked, others, groups } = this.#world;
    const names: string[] = [];
    for (const writer of others) {
      for (const account of linked)
        names.push(...(await this.#write(writer, this.#addressOf(account, writer), [account])));
    }
    for (const group of groups) {
      for (const writer of group.members)
        names.push(...(await this.#write(writer, group.jid, this.#hearersIn(group, writer))));
    }
    return names;
  }

  async #act(dice: number): Promise<void> {
    if (dice < 0.6) await this.#writeToAccount();
    else if (dice < 0.72) await this.#writeToGroup();
    else if (dice < 0.78) await this.#writeOnOwnPhone();
    else if (dice < 0.84) await this.#edit();
    else if (dice < 0.88) await this.#revoke();
    else if (dice < 0.92) await this.#react();
    else if (dice < 0.97) await this.#read();
    else await this.#ring();
  }

  /** The names of what must come of it. */
  async #write(writer: Person, to: string, hearers: readonly Linked[]): Promise<readonly string[]> {
    const { inOrder } = this;
    const [id] = await this.#world.phones.write(writer.number, {
      to,
      text: `from ${writer.number}, ${this.#newNumber()}`,
    });
    const names: string[] = [];
    for (const { device } of hearers) {
      const name = `device ${device}: received ${id}`;
      names.push(name);
      if (inOrder) this.#wanted.addInOrder(`device ${device}, ${writer.number} in ${to}`, name);
    }
    if (writer.device !== null) names.push(`device ${writer.device}: sent ${id}`);
    for (const name of names) this.#wanted.add(name);
    // Changes of messages that are still asked for wait in small number.
    if (inOrder) this.#written.push({ id: id!, writer, hearers });
    if (this.#written.length > memory) this.#written.shift();
    return names;
  }

  async #writeToAccount(): Promise<void> {
    const account = this.#random.pick(this.#world.linked);
    const writer = this.#random.pick(this.#world.others);
    await this.#write(writer, this.#addressOf(account, writer), [account]);
  }

  /** One address a writer: the order of what one writes to one chat is looked at. */
  #addressOf({ number, lid }: Linked, writer: Person): string {
    return this.#world.others.indexOf(writer) % 2 === 0 ? number : lid;
  }

  async #writeToGroup(): Promise<void> {
    const group = this.#random.pick(this.#world.groups);
    const writer = this.#random.pick(group.members);
    await this.#write(writer, group.jid, this.#hearersIn(group, writer));
  }

  #hearersIn(group: Group, writer: Person): Linked[] {
    const { linked } = this.#world;
    return linked.filter(
      (each) => each.number !== writer.number && group.members.some((one) => one.number === each.number),
    );
  }

  async #writeOnOwnPhone(): Promise<void> {
    const account = this.#random.pick(this.#world.linked);
    const other = this.#random.pick(this.#world.others);
    await this.#write(account, other.number, []);
  }

  #devicesThatSee({ writer, hearers }: Written): number[] {
    return [...hearers.map(({ device }) => device), ...(writer.device === null ? [] : [writer.device])];
  }

  async #edit(): Promise<void> {
    const message = this.#pickWritten();
    if (message === null) return;
    const text = `edited, ${this.#newNumber()}`;
    await this.#change(message, 'edit', { text });
    for (const device of this.#devicesThatSee(message))
      this.#wanted.add(`device ${device}: edited ${message.id} to ${text}`);
  }

  async #revoke(): Promise<void> {
    const message = this.#pickWritten();
    if (message === null) return;
    this.#written.splice(this.#written.indexOf(message), 1);
    await this.#change(message, 'revoke');
    for (const device of this.#devicesThatSee(message)) this.#wanted.add(`device ${device}: deleted ${message.id}`);
  }

  async #react(): Promise<void> {
    const message = this.#pickWritten();
    if (message === null) return;
    // No two alike: they are told apart by it.
    const emoji = `👍${this.#newNumber()}`;
    await this.#change(message, 'react', { emoji });
    for (const device of this.#devicesThatSee(message))
      this.#wanted.add(`device ${device}: reaction ${emoji} to ${message.id}`);
  }

  /** Somebody opens a message that the service has sent: its sender gets a read receipt. */
  async #read(): Promise<void> {
    const sent = this.#sends.pickUnread();
    if (sent === null) return;
    const { messageId, person, device } = sent;
    const { phones } = this.#world;
    const path = `/phones/${person.number}/messages/${messageId}`;
    // Sent with the keys of a database of before, it comes when the phone has asked for it.
    const isShown = await phones.request('GET', path).then(
      () => true,
      () => false,
    );
    if (!isShown) return;
    await phones.request('POST', `${path}/read`);
    this.#wanted.add(`device ${device}: read ${messageId}`);
  }

  async #ring(): Promise<void> {
    const account = this.#random.pick(this.#world.linked);
    const caller = this.#random.pick(this.#world.others);
    const { phones } = this.#world;
    const { callId } = await phones.request<{ callId: string }>('POST', `/phones/${caller.number}/call`, {
      to: account.number,
    });
    await phones.request('DELETE', `/calls/${callId}`);
    this.#wanted.add(`device ${account.device}: call ${callId} offer`);
    this.#wanted.add(`device ${account.device}: call ${callId} terminate`);
  }

  #pickWritten(): Written | null {
    return this.#written.length === 0 ? null : this.#random.pick(this.#written);
  }

  #change({ id, writer }: Written, action: string, body?: unknown): Promise<unknown> {
    return this.#world.phones.request('POST', `/phones/${writer.number}/messages/${id}/${action}`, body);
  }
}
