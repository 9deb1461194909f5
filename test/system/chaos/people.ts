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
  #last = 0;
  #stopping = false;

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
      await this.#act(this.#random.next());
      await sleep(this.#random.between(0, 2 * pauseMs));
    }
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

  async #write(writer: Person, to: string, hearers: readonly Linked[]): Promise<void> {
    const [id] = await this.#world.phones.write(writer.number, {
      to,
      text: `from ${writer.number}, ${this.#newNumber()}`,
    });
    for (const { device } of hearers) {
      this.#wanted.addInOrder(`device ${device}, ${writer.number} in ${to}`, `device ${device}: received ${id}`);
    }
    if (writer.device !== null) this.#wanted.add(`device ${writer.device}: sent ${id}`);
    this.#written.push({ id: id!, writer, hearers });
    if (this.#written.length > memory) this.#written.shift();
  }

  async #writeToAccount(): Promise<void> {
    const account = this.#random.pick(this.#world.linked);
    // One address a writer: the order of what one writes to one chat is looked at.
    const writer = this.#random.pick(this.#world.others);
    const index = this.#world.others.indexOf(writer);
    await this.#write(writer, index % 2 === 0 ? account.number : account.lid, [account]);
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
    await this.#world.phones.request('POST', `/phones/${person.number}/messages/${messageId}/read`);
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
